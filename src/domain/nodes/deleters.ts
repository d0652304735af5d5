import { isCloudController } from '../naming/seen-names.ts';

/** Service accounts of controllers whose work it is to delete Nodes, by their whole names. */
const APPOINTED_ACCOUNTS = new Set([
  'aws-cloud-controller-manager',
  'aws-node-termination-handler',
  'capa-controller-manager',
  'capi-controller-manager',
  'capi-manager',
  'cloud-controller-manager',
  'cloud-node-controller',
  'cloud-node-lifecycle-controller',
  'generic-garbage-collector',
  'karpenter',
  'kops-controller',
  'machine-api-controllers',
  'node-controller',
]);

/** Users that only control planes and kubelets, which may delete their own Node, can have. */
const APPOINTED_USER =
  /^(?:eks:[\w-]+|system:node:.+|system:(?:kube|cloud)-controller-manager|aws-cloud-controller-manager)$/;

/** Charts put the name of their release before it. */
const AUTOSCALER = /^(?:[\w-]+-)?cluster-autoscaler$/;

function accountOf(user: string): string | null {
  return /^system:serviceaccount:[^:]+:([^:]+)$/.exec(user)?.[1] ?? null;
}

/** True for users whose work it is to delete Nodes: controllers, control planes, kubelets. */
export function isAppointedDeleter(user: string): boolean {
  const account = accountOf(user);
  if (account === null) return APPOINTED_USER.test(user);
  return APPOINTED_ACCOUNTS.has(account) || AUTOSCALER.test(account);
}

/** What kind of user a request to delete a Node came from. */
export type DeletionRole =
  | 'cloud-controller'
  | 'karpenter'
  | 'cluster-autoscaler'
  | 'node-group'
  /** Another controller, appointed to it or not. */
  | 'controller'
  | 'person';

/** The users of the cloud controller: in its own process, in the controller manager, and on EKS. */
const CLOUD_USER =
  /^(?:system:cloud-controller-manager|aws-cloud-controller-manager|eks:cloud-(?:controller-manager|node-lifecycle-controller))$/;

function roleOfAccount(account: string): DeletionRole {
  if (account === 'karpenter') return 'karpenter';
  if (AUTOSCALER.test(account)) return 'cluster-autoscaler';
  const isCloud = isCloudController(account) || account.startsWith('cloud-node-');
  return isCloud ? 'cloud-controller' : 'controller';
}

/** Who that is who deleted a Node, by the user of the request. */
export function deletionRole(user: string): DeletionRole {
  const account = accountOf(user);
  if (account !== null) return roleOfAccount(account);
  if (CLOUD_USER.test(user)) return 'cloud-controller';
  if (user === 'eks:node-manager') return 'node-group';
  if (user === 'system:admin') return 'person';
  return APPOINTED_USER.test(user) || user.startsWith('system:') ? 'controller' : 'person';
}

/**
 * True for the Event of a cloud controller that deletes a Node, in the words of all its releases; in
 * 1.19 and 1.20 the sentence is the reason, and the message names the event.
 */
export function isCloudDeletion(event: {
  readonly reason: string;
  readonly message: string;
}): boolean {
  return /(?:not present according to|does not exist in the) cloud provider/i.test(
    `${event.reason} ${event.message}`,
  );
}
