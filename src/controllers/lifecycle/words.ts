import { shown } from '../../domain/words.ts';
import { isoTime } from '../../evidence/time.ts';
import type { Attribution, CloudBehavior, Deleter, Happening, HappeningKind } from './happening.ts';

/** ISO text of ms since the epoch. */
export function isoOf(ms: number): string {
  return isoTime({ ms, yearless: false, clock: 'utc' }) ?? '';
}

const BEHAVIORS: Readonly<Record<CloudBehavior, string>> = {
  'deletes-up-to-1.29': 'releases up to 1.29 delete a Node whose name EC2 does not know',
  'keeps-from-1.30-to-1.34': 'releases from 1.30 to 1.34 keep a Node whose name EC2 does not know',
  'deletes-since-1.37': 'releases since 1.37 delete a Node whose name EC2 does not know',
};

function cloudWords({ reason, behavior }: Deleter): string {
  const by = 'The cloud controller deleted it';
  if (reason === 'instance-terminated') return `${by} because its instance is terminated`;
  if (reason === 'instance-missing')
    return `${by} because EC2 did not show it the instance of its providerID`;
  if (reason !== 'name-lookup-failed') return `${by} because it found no instance for it`;
  const why = `${by} because EC2 knows no instance by its name and it has no providerID`;
  return behavior === null ? why : `${why}; ${BEHAVIORS[behavior]}`;
}

function withReason(words: string, reason: string | null): string {
  return reason === null || reason === '' ? words : `${words} (${shown(reason)})`;
}

const DELETED: Readonly<Record<Deleter['kind'], (deleter: Deleter) => string>> = {
  'cloud-node-lifecycle': cloudWords,
  karpenter: ({ reason }) => withReason('Karpenter removed it', reason),
  'cluster-autoscaler': () => 'Cluster Autoscaler scaled it down',
  'node-group-update': ({ reason }) =>
    withReason('An update of its node group replaced it', reason),
  'spot-interruption': () => 'EC2 took its Spot Instance back',
  rebalance: () => 'It was replaced on a rebalance recommendation',
  'scheduled-maintenance': ({ reason }) =>
    withReason('Its instance ended in scheduled maintenance', reason),
  person: ({ user, reason }) =>
    user === null
      ? withReason('Somebody removed it by hand', reason)
      : `${shown(user)} removed it by hand`,
  controller: ({ user }) => `The program of ${shown(user ?? 'an unknown user')} removed it`,
  unknown: () => 'No source shows who deleted it',
};

const HANDS: Readonly<Record<string, string>> = {
  'cloud-node-lifecycle': 'the cloud controller deleted the Node',
  karpenter: 'Karpenter deleted the Node',
};

const SURE: Readonly<Record<string, string>> = { likely: ' (likely)', possible: ' (possibly)' };

/** Who deleted a Node, as sentences. */
export function deletionWords({ deleter, hand, confidence, wouldTell }: Attribution): string {
  const by = hand === null || hand === deleter.kind ? undefined : HANDS[hand];
  const who = `${DELETED[deleter.kind](deleter)}${SURE[confidence] ?? ''}${by === undefined ? '' : `; ${by}`}.`;
  const [first] = wouldTell;
  return first === undefined ? who : `${who} ${first.text}`;
}

function re(happening: Happening): string {
  const { machine, node } = happening;
  const of =
    machine === 'same'
      ? ', by the same machine'
      : machine === 'other'
        ? ', by another machine'
        : '';
  return `Node ${shown(node ?? '')} registered again${of}.`;
}

function detailOf({ detail }: Happening): string {
  return detail === null || detail === '' ? '' : ` (${shown(detail)})`;
}

type Sentence = (happening: Happening, node: string, instance: string) => string;

const SENTENCES: Readonly<Record<HappeningKind, Sentence>> = {
  registered: (_, node, instance) => `Node ${node} registered (${instance}).`,
  initialized: (_, node) => `The cloud controller initialized Node ${node}.`,
  ready: (_, node) => `Node ${node} became Ready.`,
  'not-ready': (one, node) => `Node ${node} became NotReady${detailOf(one)}.`,
  cordoned: (one, node) => `Node ${node} was cordoned${detailOf(one)}.`,
  uncordoned: (_, node) => `Node ${node} was uncordoned.`,
  'deletion-asked': (_, node) =>
    `The deletion of Node ${node} was requested; a finalizer delays it.`,
  deleted: ({ attribution }, node) =>
    `Node ${node} was deleted. ${attribution === null ? '' : deletionWords(attribution)}`.trim(),
  're-created': re,
  'name-reused': (one, node, instance) =>
    `Another machine took the name of Node ${node}: ${instance}${detailOf(one)}.`,
  'machine-without-node': (_, _node, instance) => `${instance} runs and has no Node.`,
  'node-without-machine': (one, node, instance) =>
    `Node ${node} outlives its instance ${instance}${detailOf(one)}.`,
  'lease-without-node': (_, node) =>
    `The kubelet renews the Lease of ${node}, but there is no such Node. Restart the kubelet to register it again.`,
  'two-nodes-for-one-machine': (one, _, instance) =>
    `${instance} has more than one Node${detailOf(one)}.`,
  'instance-ended': (one, node, instance) =>
    `${instance}${node === '' ? '' : ` of Node ${node}`} ended${detailOf(one)}.`,
};

/** What happened, in sentences for people; when it was noticed late, that too. */
export function sentenceOf(happening: Happening): string {
  const node = shown(happening.node ?? '');
  const instance = happening.instanceId === null ? 'its machine' : shown(happening.instanceId);
  const what = SENTENCES[happening.kind](happening, node, instance);
  const { how, gapFromMs } = happening.noticed;
  if (how === 'live') return what;
  const since = gapFromMs === null ? '' : ` since ${isoOf(gapFromMs)}`;
  return `${what} Found after a gap in watching${since}.`;
}
