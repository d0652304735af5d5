import type { SelectorTerm, Ec2NodeClass } from '../../../evidence/kube/machines.ts';
import type { Condition } from '../../../evidence/kube/object.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';
import type { Seen } from '../../../evidence/fact.ts';

/** Karpenter has a node class it cannot launch with: its selectors match nothing, or a field is invalid. */
const cause = defineCause({
  id: 'karpenter-nodeclass-not-ready',
  stage: 'launched',
  title: 'Karpenter’s EC2NodeClass is not ready',
  scope: 'group',
  signs: {
    reason: definite(
      ['node-claim', 'object', 'karpenter', 'event'],
      /(?:NodeClass (?<nodeClass>[\w.-]+) condition \w+=False )?\b(?<reason>SubnetsNotFound|SecurityGroupsNotFound|PlacementGroupNotFound|ClusterCIDRResolutionFailed|TagValidationFailed|InstanceProfileNotFound|KubeletExpressionInvalid|KubeletExpressionsDisabled|InvalidKubeletConfiguration|UnsupportedKubeletConfiguration)\b/,
      {
        anchors: [
          'SubnetsNotFound',
          'SecurityGroupsNotFound',
          'PlacementGroupNotFound',
          'ClusterCIDRResolutionFailed',
          'TagValidationFailed',
          'InvalidKubeletConfiguration',
          'UnsupportedKubeletConfiguration',
          'InstanceProfileNotFound',
          'KubeletExpressionInvalid',
          'KubeletExpressionsDisabled',
        ],
      },
    ),
    unresolved: definite(
      ['node-claim', 'object'],
      /NodeClass (?<nodeClass>[\w.-]+) condition Ready=False NodeClassNotReady (?<reason>Failed to (?:resolve (?:subnets|security groups)|detect the cluster CIDR))/,
    ),
    selectorMatchesNone: definite(
      ['karpenter', 'event'],
      /(?<reason>no (?:subnets|security groups) (?:exist given constraints|matched selector)|(?:SubnetSelector did not match any Subnets|SecurityGroupSelector did not match any SecurityGroups))/,
      {
        anchors: [
          'SubnetSelector did not match any Subnets',
          'SecurityGroupSelector did not match any SecurityGroups',
          'no subnets exist given constraints',
          'no security groups exist given constraints',
          'no subnets matched selector',
        ],
      },
    ),
    // A class made a moment ago has no subnets in its status either.
    nothingListed: likely(
      ['karpenter'],
      /listing instance types\b.*\b(?<reason>no subnets found)/,
      { anchors: ['no subnets found'], atLeast: 3, enoughOnce: 'alone' },
    ),
    notReadyEvent: likely(
      ['event', 'karpenter'],
      /\bNodeClassNotReady\b|(?:node class|nodeClass|NodeClass \S{1,63}) not ready/,
      { atLeast: 3, enoughOnce: 'end' },
    ),
    ready: withdraws(['node-claim', 'object'], /NodeClass \S+ condition Ready=True/),
    launchedAfter: withdraws(
      ['karpenter', 'event'],
      /\blaunched (?:nodeclaim|machine)\b|Type: Launched, Status: \w+ -> True/,
    ),
    poolCondition: definite(
      ['node-claim', 'object', 'karpenter', 'event'],
      /NodeClassReady=False (?<reason>NodeClassNotFound|NodeClassTerminating)\b/,
    ),
    familyRefused: definite(
      ['karpenter', 'event'],
      /(?<reason>failed to discover any AMIs for alias|requires EKS version \S{1,16} or higher, current version)/,
      {
        anchors: ['failed to discover any AMIs for alias', 'or higher, current version'],
      },
    ),
    notResolved: context(
      ['node-claim', 'object', 'karpenter', 'event'],
      /resolving ec2nodeclass, object is awaiting reconciliation|PlacementGroupResolutionFailed|DependenciesNotReady|NodeClassReadinessUnknown|WaitingOnNodeClaimTermination|failed to detect the cluster CIDR|ignoring nodepool, not ready/,
    ),
    // The column that kubectl prints, in a table or in people's words.
    rowFalse: likely(
      ['client-output', 'unknown', 'object'],
      /^\s{0,8}(?:ec2)?nodeclass(?:es)?(?:\.(?:karpenter\.k8s\.aws|eks\.amazonaws\.com))?\/(?<nodeClass>[\w.-]{1,253})\s{1,80}False\s{1,20}(?!\d{1,2}s\b)\d/,
      { anchors: ['nodeclass'] },
    ),
    columnFalse: likely(
      ['client-output', 'node-claim'],
      /\b(?:NodePools?|(?:EC2)?NodeClass(?:es)?)\b.{0,60}\bREADY:? (?:is |column |shows? )?["'`]{0,3}False\b/,
    ),
  },
  needs: ['kube/EC2NodeClass', 'kube/NodePool'],
  symptoms: ['pod-not-scheduled'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'no-instance-type-satisfies-nodepool',
    'karpenter-launch-timeout',
    'node-creation-failure-verdict',
  ],
  summary: ({ nodeClass, reason, message, pools }) =>
    sentence`The EC2NodeClass ${nodeClass}${phrase` of NodePool ${pools}`} is not ready (${reason ?? 'a condition is False'}${phrase`: ${message}`}), so Karpenter deletes its claims before anything is launched.`,
  remedy: ({ nodeClass, key, value }) => [
    step(
      'Read which condition is False and why.',
      `kubectl get ec2nodeclass ${nodeClass ?? '<node-class>'} -o jsonpath='{range .status.conditions[*]}{.type}={.status} {.reason} {.message}{"\\n"}{end}'`,
    ),
    step(
      'Where a selector matches nothing: give subnets and security groups the tag it asks for.',
      `aws ec2 create-tags --resources <subnet> <security-group> --tags Key=${key ?? 'karpenter.sh/discovery'},Value=${value ?? '<cluster>'}`,
    ),
  ],
  decide: step('Read the conditions of the node classes.', 'kubectl get ec2nodeclasses -o yaml'),
  page: {
    why: 'Karpenter resolves subnets, security groups, image and profile of a node class before it launches. Selectors by tag match nothing where the tag is missing or the region is another; kubelet settings can be invalid; the service CIDR needs eks:DescribeCluster.',
    prevent:
      'Tag subnets and groups in the same code that makes them, and wait for Ready=True of the node class after each change.',
    notThis:
      'No claim survives, so EC2 has nothing to show. An image that is not found is ami-missing-or-not-shared, a refused permission launch-permission-denied, a profile invalid-instance-profile: these are named instead where the condition says so. For a few seconds after its creation every node class is not ready.',
    alsoKnownAs: ['NodeClassNotReady', 'no subnets exist given constraints', 'SubnetsNotFound'],
    refs: [
      'https://github.com/aws/karpenter-provider-aws/tree/HEAD/pkg/controllers/nodeclass',
      'https://karpenter.sh/docs/troubleshooting/',
    ],
  },
});

export default matched(cause, matchClasses);

type Own = ViewOf<typeof cause>;

const REASONS =
  /^(?:SubnetsNotFound|SecurityGroupsNotFound|PlacementGroupNotFound|ClusterCIDRResolutionFailed|TagValidationFailed|InstanceProfileNotFound|KubeletExpressionInvalid|KubeletExpressionsDisabled|InvalidKubeletConfiguration|UnsupportedKubeletConfiguration)$/;
/** Which selector of the class a reason speaks of. */
const SELECTORS = {
  SubnetsNotFound: 'subnetSelectorTerms',
  SecurityGroupsNotFound: 'securityGroupSelectorTerms',
} as const;

function isOfSelector(reason: string): reason is keyof typeof SELECTORS {
  return Object.hasOwn(SELECTORS, reason);
}

const WORDS_MAX = 160;

/** NodePools that launch with a class; null where no NodePool is in the evidence. */
function poolsOf(view: Own, nodeClass: string): readonly string[] | null {
  const pools = view.list('kube/NodePool');
  if (pools.length === 0) return null;
  return pools
    .filter(({ value }) => value.spec?.template?.spec?.nodeClassRef?.name === nodeClass)
    .map(({ value }) => value.name);
}

/** A class that no NodePool uses launches nothing anyway. */
function matchClasses(view: Own): Match | null {
  const classes = view.list('kube/EC2NodeClass');
  for (const nodeClass of classes) {
    const fault = (nodeClass.value.status?.conditions ?? []).find(
      (entry) => entry.status === 'False' && REASONS.test(entry.reason ?? ''),
    );
    const pools = poolsOf(view, nodeClass.value.name);
    if (fault !== undefined && pools?.length !== 0)
      return foundClass(view, nodeClass, fault, pools);
  }
  const isReady = classes.length > 0 && classes.every(({ value }) => isReadyClass(value));
  return isReady ? clear : null;
}

function isReadyClass(object: Ec2NodeClass): boolean {
  return (object.status?.conditions ?? []).some(
    (entry) => entry.type === 'Ready' && entry.status === 'True',
  );
}

function foundClass(
  view: Own,
  nodeClass: Seen<Ec2NodeClass>,
  fault: Condition,
  pools: readonly string[] | null,
): Match {
  const { name } = nodeClass.value;
  const reason = fault.reason ?? '';
  const message = (fault.message ?? '').slice(0, WORDS_MAX);
  const terms = (isOfSelector(reason) && nodeClass.value.spec?.[SELECTORS[reason]]) || [];
  const selector = termsOf(terms);
  const [tag] = terms.flatMap((term) => Object.entries(term.tags ?? {}));
  const words = `EC2NodeClass ${name} condition ${fault.type ?? ''}=False ${reason} ${message}`;
  const details = {
    nodeClass: name,
    reason,
    ...(message === '' ? {} : { message: `${message}${selector}` }),
    ...(tag === undefined ? {} : { key: tag[0], value: tag[1] }),
    ...(pools === null ? {} : { pools: pools.join(', ') }),
  };
  return found(details, [view.quote(nodeClass, `${words}${selector}`)]);
}

/** The tags and ids by which a class selects, in words. */
function termsOf(terms: readonly SelectorTerm[]): string {
  const words = terms.flatMap(({ id, name, tags }) => {
    const tagged = Object.entries(tags ?? {}).map(([key, value]) => `${key}=${value}`);
    const named = id ?? name;
    return named ? [...tagged, named] : tagged;
  });
  return words.length === 0 ? '' : ` (it asks for ${words.join(', ')})`.slice(0, WORDS_MAX);
}
