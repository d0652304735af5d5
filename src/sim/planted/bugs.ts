import { capacityOf } from '../../capacity/capacity.ts';
import { isUnknownType } from '../../capacity/instance-type.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { PlantedBug } from './contract.ts';
import { followNaively, type FollowMistake } from './naive-follower.ts';

/** Ids of causes that people reach for when the last thing that they saw was a node not ready. */
const SYMPTOM_NAMED_AS_CAUSE = 'node-heartbeat-lost';

function lastSeen({ evidence }: Finding): string {
  return evidence
    .map(({ time }) => time ?? '')
    .reduce((last, one) => (one > last ? one : last), '');
}

/** The machine's last word instead of its first: whatever came, a silent kubelet explains it. */
function preferLatest(subject: SubjectReport): SubjectReport {
  const roots = subject.findings.filter(({ role }) => role === 'root');
  const latest = roots.toSorted((one, other) => (lastSeen(one) < lastSeen(other) ? 1 : -1))[0];
  if (subject.kind !== 'Machine' || latest === undefined || subject.verdict !== 'not-usable')
    return subject;
  const named: Finding = { ...latest, cause: SYMPTOM_NAMED_AS_CAUSE, confidence: 'definite' };
  return { ...subject, findings: [named] };
}

function latestSymptom(document: DiagnosisDocument): DiagnosisDocument {
  return { ...document, subjects: document.subjects.map(preferLatest) };
}

/** Pages up to the first that fails, without a word of it. */
async function* untilFailure<Page>(pages: AsyncIterable<Page>): AsyncIterable<Page> {
  let count = 0;
  try {
    for await (const page of pages) {
      count++;
      yield page;
    }
  } catch (error) {
    if (count === 0 || !(error instanceof PortError)) throw error;
  }
}

function withoutLaterFailures(kube: KubeApi): KubeApi {
  return { ...kube, list: (resource, options) => untilFailure(kube.list(resource, options)) };
}

/** An answer without instances where there was no answer. */
function emptyWhenThrottled(aws: AwsApi): AwsApi {
  return {
    region: aws.region,
    partition: aws.partition,
    requests: () => aws.requests(),
    async *pages(call, signal) {
      try {
        yield* aws.pages(call, signal);
      } catch (error) {
        const isThrottled = error instanceof PortError && error.failure === 'throttled';
        if (!isThrottled || call.operation !== 'DescribeInstances') throw error;
        yield { Reservations: [] };
      }
    },
  };
}

/** An empty list where there was a refusal. */
async function* emptyWhenDenied<Page>(
  pages: AsyncIterable<Page>,
  empty: Page,
): AsyncIterable<Page> {
  try {
    yield* pages;
  } catch (error) {
    if (!(error instanceof PortError) || error.failure !== 'denied') throw error;
    yield empty;
  }
}

function deniedAsMissing(kube: KubeApi): KubeApi {
  const empty = { items: [], resourceVersion: '1' };
  return {
    ...kube,
    list: (resource, options) => emptyWhenDenied(kube.list(resource, options), empty),
  };
}

function followWith(mistake: FollowMistake): Pick<PlantedBug, 'follow'> {
  return { follow: async (scene) => followNaively(scene, mistake) };
}

/** Every address of every interface, in whatever mode the CNI is. */
const plainCount: typeof capacityOf = (input) => {
  const { type } = input;
  const plan = capacityOf(input);
  return isUnknownType(type) ? plan : { ...plan, addresses: type.enis * type.ipv4PerEni };
};

/** Those of the list whose subject is there: the diagnosis, its capacity plan, its watchers. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  { id: 'P18', caughtBy: ['L-08'], ...followWith('expired-is-empty') },
  { id: 'P19', caughtBy: ['I-29', 'I-30'], kube: deniedAsMissing },
  { id: 'P23', caughtBy: ['I-29', 'I-30'], kube: withoutLaterFailures },
  { id: 'P24', caughtBy: ['L-08'], ...followWith('listener-ends-watch') },
  { id: 'P25', caughtBy: ['L-08'], ...followWith('lists-not-compared') },
  { id: 'P26', caughtBy: ['I-33'], ...followWith('quiet-is-dead') },
  { id: 'P38', caughtBy: ['I-29', 'I-30'], aws: emptyWhenThrottled },
  { id: 'P39', caughtBy: ['I-25'], capacity: plainCount },
  { id: 'P40', caughtBy: ['I-29', 'L-02'], document: latestSymptom },
];
