import { textAt } from '../../evidence/json.ts';
import type { Machine } from '../machines/contract.ts';
import type { Fault, Stage } from './contract.ts';
import { anyMember, called, isControlPlane } from './targets.ts';

const MINUTE_MS = 60_000;
const JOIN = /^kubeadm join .*$/m;

/** The line by which its user data has let it join; null where something else does. */
function joinLine({ town }: Stage, { instanceId }: Machine): string | null {
  return JOIN.exec(town.cloud.instance(instanceId)?.userData ?? '')?.[0] ?? null;
}

const CAUSES = [
  'kubeadm-preflight-failed',
  'kubelet-without-kubeconfig',
  'unusable-join-configuration',
  'node-heartbeat-lost',
];

/**
 * Somebody lets a machine join again that has joined, which kubeadm refuses, and then resets it; the
 * join that follows comes only at the end.
 */
export const halfJoined: Fault = {
  id: 'F48',
  perHour: 1,
  lastsMs: 12 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    const join = member === null ? null : joinLine(stage, member.machine);
    if (member === null || join === null) return null;
    const { machine } = member;
    if (isControlPlane(stage, machine.instanceId)) return null;
    machine.run(join);
    machine.run('kubeadm reset -f');
    return {
      what: `${called(machine)}: kubeadm refuses a second join, and its reset leaves half of the first`,
      truths: [{ causes: CAUSES, machines: [machine.instanceId] }],
      breaks: [machine.instanceId],
      undo: () => machine.run(`kubeadm reset -f && ${join}`),
    };
  },
};

/** The agent that hands out credentials is Ready for a moment after each start, and dies. */
export const dyingAgent: Fault = {
  id: 'F39',
  perHour: 2,
  lastsMs: 6 * MINUTE_MS,
  inject(stage, random) {
    const member = anyMember(stage, random);
    if (member === null || stage.town.setting.cluster.podIdentity !== 'kiam') return null;
    const { machine, name } = member;
    const undo = machine.break({ kind: 'agent-crash', image: 'kiam' });
    for (const pod of agentsOn(stage, name)) stage.people.delete('Pod', pod);
    return {
      what: `${called(machine)}: the agent of kiam ends right after each start`,
      truths: [{ causes: AGENT_CAUSES, machines: [machine.instanceId] }],
      undo,
    };
  },
};

/** An agent that runs goes on running; the next one dies. */
function agentsOn({ people }: Stage, node: string): readonly string[] {
  return people.list('Pod', { namespace: 'kube-system' }).flatMap((pod) => {
    const name = textAt(pod, 'metadata.name') ?? '';
    const isThere = name.startsWith('kiam-agent') && textAt(pod, 'spec.nodeName') === node;
    return isThere ? [`kube-system/${name}`] : [];
  });
}

const AGENT_CAUSES = [
  'kiam-agent-undoes-redirect',
  'shallow-kiam-readiness',
  'pod-started-before-kiam-redirect',
  'gate-daemonset-pod-not-ready',
  'flapping-gate',
  'gate-opened-too-early',
];
