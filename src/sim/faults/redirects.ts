import type { SimulatedMachine, MachineFault } from '../machines/contract.ts';
import type { Fault, Injected, FaultScene, Truth } from './contract.ts';
import { MINUTE_MS, onMachine, onMember, SECOND_MS, truthOf } from './shapes.ts';
import { called, deleteAgents, type Member } from './targets.ts';

/** What it is called where service addresses lead nowhere, by who asks there first. */
const BY_NETWORK: Readonly<Record<string, string>> = {
  'vpc-cni': 'service-ip-unreachable-for-cni',
  calico: 'service-ip-unreachable-for-calico',
  'ready-made': 'cluster-dns-unreachable',
};

export function servicesLost({ setting }: FaultScene['simulated']): readonly string[] {
  const { podNetwork } = setting.cluster;
  return [BY_NETWORK[podNetwork] ?? 'cluster-dns-unreachable'];
}

/** Rules of kube-proxy that have no effect are both: its own failing, and the loss of services. */
function rulesLost(stage: FaultScene, machine: SimulatedMachine): Truth {
  return truthOf(
    machine,
    ['kube-proxy-not-working', ...servicesLost(stage.simulated)],
    ['not-ready', 'stuck'],
  );
}

/** Agents that take over the metadata address, by how their pods' names begin. */
const AGENTS: Readonly<Record<string, string>> = { kiam: 'kiam-agent', kube2iam: 'kube2iam' };

function agentOf({ simulated }: FaultScene): string | null {
  return AGENTS[simulated.setting.cluster.podIdentity] ?? null;
}

const NO_METADATA_RULE: MachineFault = {
  kind: 'nat-rule',
  of: 'metadata',
  state: 'without-effect',
};
const NO_SERVICE_RULES: MachineFault = { ...NO_METADATA_RULE, of: 'services' };
/** kube-proxy writes its rules again at the latest after this (`--iptables-sync-period`). */
const SYNC_MS = 30 * SECOND_MS;

interface Harm {
  readonly what: string;
  readonly fault: MachineFault;
  readonly isOfServices: boolean;
}

const OF_METADATA: readonly Harm[] = [
  {
    what: 'somebody deletes the rule of the metadata address',
    fault: NO_METADATA_RULE,
    isOfServices: false,
  },
  {
    what: 'another rule stands before the one of the metadata address',
    fault: NO_METADATA_RULE,
    isOfServices: false,
  },
  {
    what: 'the rule of the metadata address is there twice, and one stays as its agent ends',
    fault: { ...NO_METADATA_RULE, state: 'double' },
    isOfServices: false,
  },
];

const OF_SERVICES: Harm = {
  what: 'another rule stands before those of service addresses',
  fault: NO_SERVICE_RULES,
  isOfServices: true,
};

/** The rules of services are back after a moment; an agent makes its own only as it starts. */
function flushed(stage: FaultScene, { machine, name }: Member, syncMs: number): Injected {
  const undo = machine.break(NO_METADATA_RULE);
  const { kernel } = stage.simulated;
  kernel.after(syncMs, machine.break(NO_SERVICE_RULES));
  const truths = [{ ...rulesLost(stage, machine), endsMs: kernel.nowMs() + syncMs }];
  return { what: `${name}: somebody flushes the table nat`, truths, undo };
}

const brokenRule = onMember(
  { id: 'F43', perHour: 1.5, lastsMs: 10 * MINUTE_MS },
  (stage, member, random) => {
    if (random.chance(0.3)) return flushed(stage, member, random.below(SYNC_MS));
    const { machine, name } = member;
    const agent = agentOf(stage);
    const harm = random.pick(agent === null ? [OF_SERVICES] : [OF_SERVICES, ...OF_METADATA]);
    const { what, fault, isOfServices } = harm;
    const undo = machine.break(fault);
    if (agent !== null && !isOfServices) deleteAgents(stage, name, agent);
    return {
      what: `${name}: ${what}`,
      truths: isOfServices ? [rulesLost(stage, machine)] : [],
      breaks: isOfServices ? [machine.instanceId] : [],
      undo,
    };
  },
);

/** A connection that was made before the rule goes on past it, as long as it is used. */
const oldConnection = onMachine(
  { id: 'F44', perHour: 1.5, lastsMs: 15 * MINUTE_MS },
  (stage, machine) =>
    agentOf(stage) === null
      ? null
      : {
          what: `${called(machine)}: connections of pods pass by the rule of the metadata address`,
          truths: [],
          undo: machine.break({ kind: 'old-connections' }),
        },
);

/** By what may be said where the agent is Ready and does not work. */
const IDLE: Readonly<Record<string, readonly string[]>> = {
  kiam: ['shallow-kiam-readiness'],
  kube2iam: [],
  'pod-identity': [],
};

const idleAgent = onMember(
  { id: 'F40', perHour: 1, lastsMs: 10 * MINUTE_MS },
  ({ simulated }, { machine, name }) => {
    const { podIdentity } = simulated.setting.cluster;
    const causes = IDLE[podIdentity];
    if (causes === undefined) return null;
    return {
      what: `${name}: the agent of ${podIdentity} is Ready and answers nobody`,
      truths: causes.length === 0 ? [] : [truthOf(machine, causes, ['tainted'])],
      undo: machine.break({ kind: 'agent-idle' }),
    };
  },
);

/** Faults of what stands between pods and an address that is not what it seems. */
export const REDIRECT_FAULTS: readonly Fault[] = [idleAgent, brokenRule, oldConnection];
