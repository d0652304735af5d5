import type { SimulatedMachine } from '../machines/contract.ts';
import type { FaultScene } from './contract.ts';
import { MINUTE_MS, onMember, truthOf, UNHEARD } from './shapes.ts';
import { called, deleteAgents, isControlPlane } from './targets.ts';

const JOIN = /^kubeadm join .*$/m;

/** The line by which its user data has let it join; null where something else does. */
function joinLine({ simulated }: FaultScene, { instanceId }: SimulatedMachine): string | null {
  return JOIN.exec(simulated.cloud.instance(instanceId)?.userData ?? '')?.[0] ?? null;
}

/** A reset stops the kubelet, and takes away what it would need to start. */
const CAUSES = ['kubelet-without-kubeconfig', 'node-heartbeat-lost'];

/**
 * Somebody lets a machine join again that has joined, which kubeadm refuses, and then resets it; the
 * join that follows comes only at the end.
 */
export const halfJoined = onMember(
  { id: 'F48', perHour: 1, lastsMs: 12 * MINUTE_MS },
  (stage, { machine }) => {
    const join = joinLine(stage, machine);
    if (join === null || isControlPlane(stage, machine.instanceId)) return null;
    machine.run(join);
    machine.run('kubeadm reset -f');
    return {
      what: `${called(machine)}: kubeadm refuses a second join, and its reset leaves half of the first`,
      truths: [truthOf(machine, CAUSES, UNHEARD)],
      breaks: [machine.instanceId],
      undo: () => machine.run(`kubeadm reset -f && ${join}`),
    };
  },
);

/** The agent that hands out credentials is Ready for a moment after each start, and dies. */
export const dyingAgent = onMember(
  { id: 'F39', perHour: 2, lastsMs: 6 * MINUTE_MS },
  (stage, { machine, name }) => {
    if (stage.simulated.setting.cluster.podIdentity !== 'kiam') return null;
    const undo = machine.break({ kind: 'agent-crash', image: 'kiam' });
    deleteAgents(stage, name, 'kiam-agent');
    return {
      what: `${called(machine)}: the agent of kiam ends right after each start`,
      truths: [truthOf(machine, AGENT_CAUSES, ['tainted'])],
      undo,
    };
  },
);

const AGENT_CAUSES = ['kiam-agent-undoes-redirect', 'gate-daemonset-pod-not-ready'];
