import type { Instance } from '../../../evidence/aws/instance.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
  withRepairs,
} from '../../../diagnosis/cause.ts';
import { deleting } from '../../../diagnosis/repair.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { KubeNode } from '../../../evidence/kinds.ts';
import { instanceIdIn } from '../../../evidence/names.ts';
import { isSilentBeyondLag } from '../../../domain/nodes/ready-node.ts';

/** The instance is gone for good, and the Node of it stays in the list. */
const cause = defineCause({
  id: 'node-object-without-instance',
  stage: 'retained',
  title: 'the Node object outlives its terminated instance',
  scope: 'machine',
  signs: {
    queryFails: definite(
      ['controller-manager', 'cloud-controller'],
      /error checking if node (?<node>[a-z0-9][a-z0-9.-]*) exists: .*InvalidInstanceID\.NotFound(?:.*?(?<gone>i-[0-9a-f]{8,17}))?/,
      { anchors: ['error checking if node'] },
    ),
    notInCloud: context(
      ['controller-manager', 'cloud-controller'],
      /error checking if node (?<node>[a-z0-9][a-z0-9.-]*|<[\w -]{1,40}>) (?:exists|is shutdown): instance not found/,
    ),
    toldGone: context(
      ['client-output', 'unknown'],
      /\b(?:EC2 )?(?:instance|machine)\b.{0,30}\b(?:is|was|were|got|(?:has|had|have) (?:long |already )?been) (?:long |already )?(?:gone|terminated|deleted|removed)\b|\b(?:I|we|they|somebody|someone|autoscaler|Karpenter|ASG) (?:have |has |had )?(?:terminated|deleted|removed) (?:the|its|their|that|this) (?:EC2 )?(?:instances?|machines?)\b/i,
      { isTold: true, isBackground: true, anchors: ['nstance', 'achine'] },
    ),
    deletionRefused: likely(
      ['cloud-controller', 'controller-manager'],
      /unable to delete node "?(?<node>[a-z0-9][a-z0-9.-]*[a-z0-9])"?: .*(?<refused>is forbidden: User "[^"]{1,200}" cannot delete)/,
      { anchors: ['unable to delete node'] },
    ),
    toldKept: likely(
      ['client-output', 'unknown'],
      /\b(?:instances?|machines?|nodes?)\b.{0,60}\bterminated\b.{0,60}\b(?:controller[- ]manager|cloud controller|node controller|ccm|CCM)\b.{0,40}\b(?:does(?: not|n't)|did(?: not|n't)|never|no longer) (?:deletes?|removes?)\b|\b[Nn]ode objects? (?:of|for) terminated instances?\b.{0,40}\b(?:stays?|remains?|are kept|is kept)\b/,
      { isTold: true, anchors: ['terminated'] },
    ),
  },
  needs: ['kube/Node', 'aws/instance'],
  symptoms: ['node-not-ready'],
  explains: [
    'node-heartbeat-lost',
    'instance-stopped-or-terminated',
    'ccm-cannot-initialize-node',
    // Of such a machine nothing is left to initialise, whoever should have.
    'no-cloud-controller-manager',
  ],
  summary: ({ node, machine, gone, refused }) =>
    refused !== undefined
      ? `The cloud controller may not delete Nodes, so the Node ${node ?? machine ?? ''} of a machine that is gone stays.`
      : sentence`The instance ${gone} of the Node ${node ?? machine} no longer exists in EC2, but nothing deleted the Node; it stays NotReady, and there is no machine to repair.`,
  remedy: ({ node }) => [
    step('Delete the Node.', `kubectl delete node ${node ?? '<node>'}`),
    step(
      'Upgrade the cloud controller: in old ones a single missing id makes the whole query fail, again and again.',
      'kubectl -n kube-system get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image | grep -E "controller-manager"',
    ),
  ],
  decide: step(
    'Ask EC2 for the instance that the Node names.',
    'kubectl get node <node> -o json; aws ec2 describe-instances --instance-ids <instance>',
  ),
  page: {
    why: 'The cloud controller asks EC2 about several Nodes at once. In affected releases an id that EC2 no longer knows makes the answer InvalidInstanceID.NotFound, which the controller takes for an error instead of for `gone`.',
    prevent: 'Current cloud controller; watch for Nodes that are NotReady for longer than an hour.',
    notThis:
      'An instance that still runs is node-heartbeat-lost. A Node that was never more than an empty object, without kubelet version, is phantom-node-under-other-name.',
    alsoKnownAs: ['ghost node', 'InvalidInstanceID.NotFound'],
    refs: ['https://github.com/kubernetes/kubernetes/issues/101526'],
  },
});

export default matched(cause, (view) => matchTold(view) ?? matchTerminated(view));

type Own = ViewOf<typeof cause>;

/** A Node that is not Ready, whose own instance EC2 calls terminated or does not know any more. */
function matchTerminated(view: Own): Match | null {
  const unready = view.list('kube/Node').filter(({ value }) => value.ready !== true);
  for (const node of unready) {
    const { named, own, state } = instanceOf(view, node.value);
    const isGone = state === 'terminated' || state === 'shutting-down';
    const isForgotten =
      named !== null && own === undefined && wasAsked(view) && isSilent(node.value, view.nowMs);
    if (!isGone && !isForgotten) continue;
    return isForgotten ? foundForgotten(view, node, named) : foundEnded(view, node, own);
  }
  const doAllRun = unready.every(({ value }) => instanceOf(view, value).state === 'running');
  return unready.length > 0 && doAllRun && view.isLive ? clear : null;
}

function foundForgotten(view: Own, node: Seen<KubeNode>, gone: string): Match {
  const { name } = node.value;
  const says = `EC2 has no instance ${gone}`;
  const proof = [view.quote(node, `Node ${name} is not Ready, and ${says} of its providerID`)];
  return withRepairs(found({ node: name, gone }, proof), deleting(node.value, null, says));
}

function foundEnded(view: Own, node: Seen<KubeNode>, own: Seen<Instance> | undefined): Match {
  const { name } = node.value;
  const { InstanceId: gone = '', State, StateReason } = own?.value ?? {};
  const state = State?.Name ?? '';
  const match = found({ node: name, gone }, [
    view.quote(node, `Node ${name} is not Ready`),
    ...(own === undefined
      ? []
      : [view.quote(own, `${gone} ${state} ${StateReason?.Message ?? ''}`)]),
  ]);
  return withRepairs(match, deleting(node.value, null, `its instance ${gone} is ${state}`));
}

/** The controller does not find its instance, and somebody says that there is none any more. */
function matchTold(view: Own): Match | null {
  const [unknown, told] = [view.sign('notInCloud'), view.sign('toldGone')];
  if (view.isLive || unknown === null || told === null) return null;
  const { node = '' } = unknown.last.captures;
  return found({ node }, [unknown.last, told.first], 'likely');
}

/** The instance that a Node names, or the only one that there is. */
interface NamedInstance {
  readonly named: string | null;
  readonly own: Seen<Instance> | undefined;
  readonly state: string | null;
}

function instanceOf(view: Own, { providerId, name }: KubeNode): NamedInstance {
  const named = instanceIdIn(providerId ?? name);
  const instances = view.list('aws/instance');
  const own =
    named === null ? onlyOne(instances) : instances.find(({ value }) => value.InstanceId === named);
  return { named, own, state: own?.value.State?.Name ?? null };
}

function isSilent(node: KubeNode, nowMs: number | null): boolean {
  return nowMs !== null && isSilentBeyondLag(node, nowMs);
}

function onlyOne<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

/** Rollcall itself asks EC2 for the instance of every providerID; of others' answers nobody knows. */
function wasAsked(view: Own): boolean {
  return view.isLive && view.read('aws/instance').state !== 'unknown';
}
