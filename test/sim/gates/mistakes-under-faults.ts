/** Mistakes that show only while others change policies, refuse writes or restart kubelets. */
import type { GatePolicy, Proof } from '../../../src/controllers/gate/policy.ts';
import { KUBELET_CONDITION } from '../../../src/domain/nodes/kubelet-run.ts';
import { isObject, type JsonObject, listAt, textAt } from '../../../src/evidence/json.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { ADMISSION_FAULTS } from '../../../src/sim/faults/admission.ts';
import { CONFIGURATION_FAULTS } from '../../../src/sim/faults/configuration.ts';
import type { Fate } from '../../../src/sim/programs/call.ts';
import {
  type GateMistake,
  hearing,
  inside,
  isMark,
  isOfTaints,
  nameOf,
  planted,
  reading,
  seeing,
  withPart,
} from './mistakes.ts';
import { shippedPolicies, withSpec } from '../platform/shipped-admission.ts';
import type { PortBug } from './plan.ts';

function faultOf<T extends { readonly title: string }>(faults: readonly T[], title: RegExp): T {
  const found = faults.find((one) => title.test(one.title));
  if (found === undefined) throw new Error(`no fault is called ${title}`);
  return found;
}

function isRefused(error: unknown): boolean {
  return error instanceof PortError && (error.failure === 'denied' || error.failure === 'invalid');
}

/** What was refused once would be refused again, and so nobody asks. */
function refusedForGood(): PortBug {
  const refusals = new Map<string, unknown>();
  return ({ writes }) => ({
    writes: {
      ...writes,
      async patch(resource, name, patch, more) {
        const key = isOfTaints(patch) ? name.name : null;
        if (key !== null && refusals.has(key)) throw refusals.get(key);
        try {
          return await writes.patch(resource, name, patch, more);
        } catch (error) {
          if (key !== null && isRefused(error)) refusals.set(key, error);
          throw error;
        }
      },
    },
  });
}

/** A taint that went with our write is gone, whatever the Node says later. */
function answerIsRead(): PortBug {
  const opened = new Set<string>();
  return ({ api, writes }) => ({
    api: seeing(api, 'nodes', (node) => {
      if (!opened.has(nameOf(node))) return node;
      const taints = listAt(node, 'spec.taints').filter(
        (taint) => !(textAt(taint, 'key') ?? '').startsWith('readiness.k8s.io/'),
      );
      return { ...node, spec: { ...inside(node, 'spec'), taints } };
    }),
    writes: {
      ...writes,
      async patch(resource, name, patch, more) {
        const answer = await writes.patch(resource, name, patch, more);
        const isRemoval =
          patch.type === 'json' && patch.operations.some(({ op }) => op === 'remove');
        if (isOfTaints(patch) && isRemoval) opened.add(name.name);
        return answer;
      },
    },
  });
}

/** What may not be written is left out, and the program that wrote it does not live for ever. */
function marksAreLeftOut(): ReturnType<GateMistake['plant']> {
  let isOpen = false;
  const bug: PortBug = ({ writes }) => ({
    writes: {
      ...writes,
      async patch(resource, name, patch, more) {
        try {
          return await writes.patch(resource, name, patch, more);
        } catch (error) {
          if (patch.type !== 'json' || !isOfTaints(patch) || !isRefused(error)) throw error;
          const operations = patch.operations.filter((one) => !isMark(one));
          const answer = await writes.patch(resource, name, { ...patch, operations }, more);
          isOpen ||= name.name === 'n-once';
          return answer;
        }
      },
    },
  });
  const fate: Fate = ({ what }) => {
    if (!isOpen || !what.startsWith('update leases')) return null;
    isOpen = false;
    return 'crash-after';
  };
  return { bug, fate, admission: faultOf(ADMISSION_FAULTS, /forbids our marks/) };
}

const READ_FOR_MS = 30_000;

/** Policies are read when the program begins. */
const readOnce: PortBug = ({ api, clock }) => {
  const startMs = clock.monotonicMs();
  const isLate = (): boolean => clock.monotonicMs() - startMs > READ_FOR_MS;
  return { api: hearing(api, 'nodegates', (event) => (isLate() ? null : event)) };
};

function withoutRun(node: JsonObject, first: JsonObject): JsonObject {
  const conditions = listAt(node, 'status.conditions').filter(isObject);
  return withPart(node, 'status', {
    conditions: conditions.map((one) => (one['type'] === KUBELET_CONDITION ? first : one)),
  });
}

/** Whoever knew that the kubelet runs looks no more which run it is. */
const firstRunOnly: PortBug = ({ api }) => {
  const first = new Map<string, JsonObject>();
  return {
    api: seeing(api, 'nodes', (node) => {
      const told = listAt(node, 'status.conditions').find(
        (one) => textAt(one, 'type') === KUBELET_CONDITION,
      );
      if (!isObject(told)) return node;
      const known = first.get(nameOf(node)) ?? told;
      first.set(nameOf(node), known);
      return withoutRun(node, known);
    }),
  };
};

/** What held before the kubelet restarted has held all the time. */
function withoutKubelet(policy: GatePolicy): GatePolicy {
  const { needs } = policy;
  if (!('all' in needs)) return policy;
  const isOther = (proof: Proof): boolean =>
    proof.kind !== 'condition' || proof.type !== KUBELET_CONDITION;
  return { ...policy, needs: { all: needs.all.filter(isOther) } };
}

function holdingAll(policy: GatePolicy): GatePolicy {
  const { selects, refusedWhy } = policy;
  return refusedWhy === null ? policy : { ...policy, selects: { ...selects, requirements: [] } };
}

function failing(policy: JsonObject): JsonObject {
  return withSpec(policy, { failurePolicy: 'Fail' });
}

function forEverybody(policy: JsonObject): JsonObject {
  return withSpec(policy, { matchConditions: [] });
}

export const MISTAKES_UNDER_FAULTS: readonly GateMistake[] = [
  {
    id: 'F08: a write that was refused is not sent again',
    caughtBy: ['L-01'],
    plant: () => ({
      bug: refusedForGood(),
      admission: faultOf(ADMISSION_FAULTS, /refuses our patch/),
    }),
  },
  {
    id: 'F08: a taint that a webhook puts back is not looked at',
    caughtBy: ['L-01'],
    plant: () => ({
      bug: answerIsRead(),
      admission: faultOf(ADMISSION_FAULTS, /puts the taint back/),
    }),
  },
  {
    id: 'F70: a mark that may not be written is left out',
    caughtBy: ['I-07'],
    plant: marksAreLeftOut,
  },
  {
    id: 'F31: policies are read once',
    caughtBy: ['L-01'],
    plant: () => ({
      bug: readOnce,
      configuration: faultOf(CONFIGURATION_FAULTS, /another name/),
    }),
  },
  {
    id: 'a restart of the kubelet is not seen',
    caughtBy: ['I-01'],
    plant: () => ({ bug: firstRunOnly, kubelets: true }),
  },
  {
    id: 'a restart of the kubelet does not begin the dwell again',
    caughtBy: ['I-01'],
    plant: () => ({ bug: reading(withoutKubelet), kubelets: true }),
  },
  {
    id: 'a gate that cannot be read holds every node',
    caughtBy: ['I-08', 'I-36'],
    plant: planted(reading(holdingAll)),
  },
  {
    id: 'a policy of admission that cannot be evaluated keeps Nodes from registering',
    caughtBy: ['I-36'],
    plant: () => ({ bug: () => ({}), outage: shippedPolicies().map(failing) }),
  },
  {
    id: 'a policy of admission for agents is asked about everybody',
    caughtBy: ['I-36'],
    plant: () => ({ bug: () => ({}), outage: shippedPolicies().map(forEverybody) }),
  },
];
