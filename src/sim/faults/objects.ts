import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import { gateTaint } from '../cluster/user-data.ts';
import type { Fault, FaultScene } from './contract.ts';
import { cordon, MINUTE_MS, onMember, patchNode, SECOND_MS, truthOf } from './shapes.ts';
import { nothing } from './targets.ts';

/** Of the objects that only these faults write. */
const MARK = 'example.com/storm';
const NAMESPACE = 'production';

function annotate(stage: FaultScene, node: string, value: string | null): void {
  patchNode(stage, node, { metadata: { annotations: { [MARK]: value } } });
}

/** Somebody writes to a Node every second, so that whoever read it before meets a conflict. */
const conflicts = onMember({ id: 'F04', perHour: 1, lastsMs: 2 * MINUTE_MS }, (stage, { name }) => {
  let count = 0;
  const timer = stage.simulated.kernel.every(SECOND_MS, () =>
    annotate(stage, name, String(++count)),
  );
  return {
    what: `${name}: somebody writes to the Node every second`,
    truths: [],
    undo: () => {
      timer.cancel();
      annotate(stage, name, null);
    },
  };
});

const BURST = 300;

/** More changes in one moment than anybody reads in it. */
const burst = onMember({ id: 'F33', perHour: 1, lastsMs: 0 }, (stage, { name }) => {
  for (let count = 0; count < BURST; count++) annotate(stage, name, String(count));
  return {
    what: `${name}: the Node changes ${BURST} times in one moment`,
    truths: [],
    undo: () => annotate(stage, name, null),
  };
});

function isEnding(pod: KubeObject): boolean {
  return textAt(pod, 'metadata.deletionTimestamp') !== null;
}

function podsOn({ people }: FaultScene, node: string): readonly string[] {
  const all = people.list('Pod', { namespace: NAMESPACE });
  return all
    .filter((pod) => textAt(pod, 'spec.nodeName') === node && !isEnding(pod))
    .map((pod) => `${NAMESPACE}/${textAt(pod, 'metadata.name') ?? ''}`);
}

/** A budget that comes as a node is drained: the rest of its pods cannot be evicted. */
const lateBudget = onMember(
  { id: 'F65', perHour: 1, lastsMs: 10 * MINUTE_MS },
  (stage, { machine, name: node }, random) => {
    const pods = podsOn(stage, node);
    if (pods.length === 0) return null;
    const { people } = stage;
    const name = `late-${random.word(4)}`;
    cordon(stage, node, true);
    people.evict(pods[0] ?? '');
    people.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: NAMESPACE },
      spec: { selector: {}, maxUnavailable: 0 },
    });
    for (const pod of pods.slice(1)) people.evict(pod);
    return {
      what: `${node}: drained, and a budget stops it`,
      truths: [truthOf(machine, ['cordon-or-deliberate-taint'], ['cordoned'])],
      undo: () => {
        people.delete('PodDisruptionBudget', `${NAMESPACE}/${name}`);
        cordon(stage, node, false);
      },
    };
  },
);

/** The gate's taint is put back on a node that had lost it. */
const taintAgain = onMember(
  { id: 'F66', perHour: 2, lastsMs: 5 * MINUTE_MS },
  (stage, { machine, name }) => {
    const whole = gateTaint(stage.simulated.setting.cluster);
    if (whole === null) return null;
    const [pair = '', effect = ''] = whole.split(':');
    const [key = '', value = ''] = pair.split('=');
    const others = (): readonly Json[] =>
      listAt(stage.people.get('Node', name), 'spec.taints').filter(
        (one) => textAt(one, 'key') !== key,
      );
    const write = (taints: readonly Json[]): void => patchNode(stage, name, { spec: { taints } });
    write([...others(), { key, value, effect }]);
    return {
      what: `${name}: ${key} is put back`,
      truths: [truthOf(machine, GATE_CAUSES, ['tainted'])],
      undo: () => write(others()),
    };
  },
);

/** Who has put it there cannot be told from a taint. */
const GATE_CAUSES = ['startup-taint-added-after-removal', 'cordon-or-deliberate-taint'];

/** A pod that is deleted and stays, as somebody else's finalizer holds it. */
const finalizer = onMember(
  { id: 'F67', perHour: 1, lastsMs: 12 * MINUTE_MS },
  (stage, { machine, name }) => {
    const [pod] = podsOn(stage, name);
    if (pod === undefined) return null;
    const { people } = stage;
    people.patch('Pod', pod, 'merge', { metadata: { finalizers: ['example.com/keep'] } });
    people.delete('Pod', pod);
    return {
      what: `${pod}: a finalizer of somebody else holds it`,
      truths: [truthOf(machine, ['pods-stuck-terminating'], [])],
      undo: () => {
        if (at(people.get('Pod', pod), 'metadata.finalizers') !== null)
          people.patch('Pod', pod, 'merge', { metadata: { finalizers: null } });
      },
    };
  },
);

/** A pod that asks no scheduler and minds no taint runs on a node, whatever its state. */
const bypassing = onMember(
  { id: 'F69', perHour: 1.5, lastsMs: 15 * MINUTE_MS },
  ({ people }, { name: nodeName }, random) => {
    const name = `bypass-${random.word(5)}`;
    const made = people.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        nodeName,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'app', image: 'example.com/app:1' }],
      },
    });
    if (!made.ok) return null;
    return {
      what: `${nodeName}: a pod that tolerates everything names this node`,
      truths: [],
      undo: () => {
        people.delete('Pod', `${NAMESPACE}/${name}`);
      },
    };
  },
);

/** Faults of objects that others write. */
export const OBJECT_FAULTS: readonly Fault[] = [
  conflicts,
  burst,
  lateBudget,
  taintAgain,
  finalizer,
  bypassing,
];

/** Watchers of Rollcall begin anew, or their timers come late. */
export const OWN_FAULTS: readonly Fault[] = [
  {
    id: 'F29',
    perHour: 2,
    lastsMs: 0,
    inject({ looking }) {
      if (looking.wire.followed().length === 0) return null;
      looking.wire.restart();
      return { what: 'the watchers restart with empty memory', truths: [], undo: nothing };
    },
  },
  {
    id: 'F73',
    perHour: 2,
    lastsMs: 6 * MINUTE_MS,
    inject: ({ looking }) => ({
      what: 'timers of the watchers fire up to 5 s late',
      truths: [],
      undo: looking.wire.delayTimers(5 * SECOND_MS),
    }),
  },
];
