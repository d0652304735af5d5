import { at, listAt, textAt } from '../../evidence/json.ts';
import type { KubeObject } from '../kube/contract.ts';
import { gateTaint } from '../town/user-data.ts';
import type { Fault, Stage } from './contract.ts';
import { anyMember, nothing } from './targets.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** Of the objects that only these faults write. */
const MARK = 'example.com/storm';
const NAMESPACE = 'production';

function annotate({ people }: Stage, node: string, value: string | null): void {
  if (people.get('Node', node) !== null)
    people.patch('Node', node, 'merge', { metadata: { annotations: { [MARK]: value } } });
}

/** Somebody writes to a Node every second, so that whoever read it before meets a conflict. */
const conflicts: Fault = {
  id: 'F04',
  perHour: 1,
  lastsMs: 2 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    if (member === null) return null;
    let count = 0;
    const timer = stage.town.kernel.every(SECOND_MS, () =>
      annotate(stage, member.name, String(++count)),
    );
    return {
      what: `${member.name}: somebody writes to the Node every second`,
      truths: [],
      undo: () => {
        timer.cancel();
        annotate(stage, member.name, null);
      },
    };
  },
};

const BURST = 300;

/** More changes in one moment than anybody reads in it. */
const burst: Fault = {
  id: 'F33',
  perHour: 1,
  lastsMs: 0,
  inject(stage, random) {
    const member = anyMember(stage, random);
    if (member === null) return null;
    for (let count = 0; count < BURST; count++) annotate(stage, member.name, String(count));
    return {
      what: `${member.name}: the Node changes ${BURST} times in one moment`,
      truths: [],
      undo: () => annotate(stage, member.name, null),
    };
  },
};

function isEnding(pod: KubeObject): boolean {
  return textAt(pod, 'metadata.deletionTimestamp') !== null;
}

function podsOn({ people }: Stage, node: string): readonly string[] {
  const all = people.list('Pod', { namespace: NAMESPACE });
  return all
    .filter((pod) => textAt(pod, 'spec.nodeName') === node && !isEnding(pod))
    .map((pod) => `${NAMESPACE}/${textAt(pod, 'metadata.name') ?? ''}`);
}

/** A budget that comes as a node is drained: the rest of its pods cannot be evicted. */
const lateBudget: Fault = {
  id: 'F65',
  perHour: 1,
  lastsMs: 10 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    const pods = member === null ? [] : podsOn(stage, member.name);
    if (member === null || pods.length === 0) return null;
    const { people } = stage;
    const name = `late-${random.word(4)}`;
    const cordon = (unschedulable: boolean): void => {
      if (people.get('Node', member.name) !== null)
        people.patch('Node', member.name, 'merge', { spec: { unschedulable } });
    };
    cordon(true);
    people.evict(pods[0] ?? '');
    people.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name, namespace: NAMESPACE },
      spec: { selector: {}, maxUnavailable: 0 },
    });
    for (const pod of pods.slice(1)) people.evict(pod);
    const truth = { causes: ['cordon-or-deliberate-taint'], machines: [member.machine.instanceId] };
    return {
      what: `${member.name}: drained, and a budget stops it`,
      truths: [truth],
      undo: () => {
        people.delete('PodDisruptionBudget', `${NAMESPACE}/${name}`);
        cordon(false);
      },
    };
  },
};

/** The gate's taint is put back on a node that had lost it. */
const taintAgain: Fault = {
  id: 'F66',
  perHour: 2,
  lastsMs: 5 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    const whole = gateTaint(stage.town.setting.cluster);
    if (member === null || whole === null) return null;
    const [pair = '', effect = ''] = whole.split(':');
    const [key = '', value = ''] = pair.split('=');
    const others = (): ReturnType<typeof listAt> =>
      listAt(stage.people.get('Node', member.name), 'spec.taints').filter(
        (one) => textAt(one, 'key') !== key,
      );
    const write = (taints: ReturnType<typeof listAt>): void => {
      if (stage.people.get('Node', member.name) !== null)
        stage.people.patch('Node', member.name, 'merge', { spec: { taints } });
    };
    write([...others(), { key, value, effect }]);
    return {
      what: `${member.name}: ${key} is put back`,
      truths: [{ causes: GATE_CAUSES, machines: [member.machine.instanceId] }],
      undo: () => write(others()),
    };
  },
};

const GATE_CAUSES = [
  'startup-taint-added-after-removal',
  'startup-taint-not-removed',
  'gate-taint-added-too-late',
  'flapping-gate',
  'cordon-or-deliberate-taint',
];

/** A pod that is deleted and stays, as somebody else's finalizer holds it. */
const finalizer: Fault = {
  id: 'F67',
  perHour: 1,
  lastsMs: 12 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    const [pod] = member === null ? [] : podsOn(stage, member.name);
    if (member === null || pod === undefined) return null;
    const { people } = stage;
    people.patch('Pod', pod, 'merge', { metadata: { finalizers: ['example.com/keep'] } });
    people.delete('Pod', pod);
    const causes = ['pods-stuck-terminating'];
    return {
      what: `${pod}: a finalizer of somebody else holds it`,
      truths: [{ causes, machines: [member.machine.instanceId] }],
      undo: () => {
        if (at(people.get('Pod', pod), 'metadata.finalizers') !== null)
          people.patch('Pod', pod, 'merge', { metadata: { finalizers: null } });
      },
    };
  },
};

/** A pod that asks no scheduler and minds no taint runs on a node, whatever its state. */
const bypassing: Fault = {
  id: 'F69',
  perHour: 1.5,
  lastsMs: 15 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    if (member === null) return null;
    const { people } = stage;
    const name = `bypass-${random.word(5)}`;
    const made = people.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        nodeName: member.name,
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'app', image: 'example.com/app:1' }],
      },
    });
    if (!made.ok) return null;
    return {
      what: `${member.name}: a pod that tolerates everything names this node`,
      truths: [],
      undo: () => {
        people.delete('Pod', `${NAMESPACE}/${name}`);
      },
    };
  },
};

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
