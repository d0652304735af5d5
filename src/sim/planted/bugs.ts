import { capacityOf } from '../../capacity/capacity.ts';
import { isUnknownType } from '../../capacity/instance-type.ts';
import { isObject, type Json } from '../../evidence/json.ts';
import { COMMAND_FORMS } from '../../evidence/secrets/commands.ts';
import { redactRandomRuns } from '../../evidence/secrets/random-runs.ts';
import { TOKEN_FORMS } from '../../evidence/secrets/token-forms.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { PlantedBug } from './contract.ts';
import { followNaively, type FollowMistake } from './naive-follower.ts';
import {
  alwaysTheSame,
  latestSymptom,
  neverForgetting,
  ofAnotherMachine,
  swappedRoots,
} from './wrong-answers.ts';

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

/** Tokens are known by their form, long runs by their chance; a password by its name alone. */
function unnamed(text: string): string {
  const forms = [...TOKEN_FORMS, ...COMMAND_FORMS];
  const clean = forms.reduce((left, [form, mark]) => left.replace(form, mark), text);
  return redactRandomRuns(clean);
}

function namedValuesKept(kept: Json | string): Json {
  if (typeof kept === 'string') return unnamed(kept);
  if (Array.isArray(kept)) return (kept as readonly Json[]).map(namedValuesKept);
  if (!isObject(kept)) return kept;
  const entries = Object.entries(kept);
  return Object.fromEntries(entries.map(([field, value]) => [field, namedValuesKept(value)]));
}

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
  { id: 'P43', caughtBy: ['I-29'], document: alwaysTheSame },
  { id: 'P44', caughtBy: ['I-29'], document: swappedRoots },
  { id: 'P45', caughtBy: ['I-29'], remembering: neverForgetting },
  { id: 'P46', caughtBy: ['I-29'], document: ofAnotherMachine },
  { id: 'P47', caughtBy: ['I-28'], clean: namedValuesKept },
];
