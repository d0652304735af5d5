import { shellWord } from '../../domain/words.ts';
import type { Action, ActionReason } from '../../ports/action.ts';
import type { AwsAction } from '../../ports/aws-action.ts';
import type { KubeResource } from '../../ports/kube-api.ts';
import { PODS } from '../gate/daemon-pods.ts';
import { NODES } from '../gate/plan.ts';
import type { SpotStep } from './facts.ts';

export const NODE_CLAIMS: KubeResource = {
  group: 'karpenter.sh',
  version: 'v1',
  plural: 'nodeclaims',
  kind: 'NodeClaim',
  isNamespaced: false,
};

const ASKED_BY = 'spot watch';

function reasonOf({ rule, because }: SpotStep): ActionReason {
  return { kind: 'rule', name: rule.name, text: `${because}.` };
}

function uncordon(name: string): Action['undo'] {
  return {
    text: 'Let the scheduler place Pods there again',
    command: `kubectl uncordon ${shellWord(name)}`,
  };
}

/** The write of a step to the API server; null for one that goes to AWS. */
export function actionOf(step: SpotStep): Action | null {
  const { node } = step;
  const shared = { why: reasonOf(step), askedBy: ASKED_BY };
  if (step.kind === 'cordon') {
    const { name, uid, resourceVersion } = node;
    const patch = { type: 'merge', change: { spec: { unschedulable: true } } } as const;
    return {
      ...shared,
      id: `spot/cordon/${uid}/${resourceVersion}`,
      object: { resource: NODES, namespace: null, name, seen: { uid, resourceVersion } },
      write: { verb: 'patch', patch, requires: 'same-version' },
      undo: uncordon(name),
    };
  }
  if (step.kind === 'evict') {
    const { namespace, name, uid, resourceVersion } = step.pod;
    return {
      ...shared,
      id: `spot/evict/${uid}`,
      object: { resource: PODS, namespace, name, seen: { uid, resourceVersion } },
      // Its status changes all the time; its UID is what was judged.
      write: { verb: 'evict', requires: 'same-object' },
      undo: null,
    };
  }
  if (step.kind === 'terminate') return null;
  const { name, uid, resourceVersion } = step.claim;
  return {
    ...shared,
    id: `spot/delete-claim/${uid}`,
    object: { resource: NODE_CLAIMS, namespace: null, name, seen: { uid, resourceVersion } },
    write: { verb: 'delete', requires: 'same-version' },
    undo: null,
  };
}

/** Ends the instance of an emptied Node, and has its group launch another. */
export function terminationOf(step: SpotStep & { readonly kind: 'terminate' }): AwsAction {
  const { node, group } = step;
  const instanceId = node.instanceId ?? '';
  return {
    id: `spot/terminate/${instanceId}`,
    object: {
      kind: 'Instance',
      name: instanceId,
      seen: { node: node.name, uid: node.uid, autoScalingGroup: group },
    },
    call: {
      service: 'autoscaling',
      operation: 'TerminateInstanceInAutoScalingGroup',
      input: { InstanceId: instanceId, ShouldDecrementDesiredCapacity: false },
    },
    why: reasonOf(step),
    askedBy: ASKED_BY,
    undo: null,
  };
}

/** `evict Pod team/web-1 from ip-10-0-1-2` */
export function wordsOf(step: SpotStep): string {
  const { node } = step;
  switch (step.kind) {
    case 'cordon':
      return `cordon Node ${node.name}`;
    case 'evict':
      return `evict Pod ${step.pod.namespace}/${step.pod.name} from Node ${node.name}`;
    case 'delete-claim':
      return `delete NodeClaim ${step.claim.name} of Node ${node.name}`;
    default:
      return `terminate ${node.instanceId ?? ''} of Node ${node.name} in Auto Scaling group ${step.group}`;
  }
}
