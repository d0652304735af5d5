import type { DiagnosisDocument, Finding, SubjectReport } from '../../diagnosis/document.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { PlantedBug } from './contract.ts';

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

/** Those of the list that the diagnosis can have. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  { id: 'P23', caughtBy: ['I-29', 'I-30'], kube: withoutLaterFailures },
  { id: 'P38', caughtBy: ['I-29', 'I-30'], aws: emptyWhenThrottled },
  { id: 'P40', caughtBy: ['I-29', 'L-02'], document: latestSymptom },
];
