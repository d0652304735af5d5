import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** kube2iam gets the request but cannot tell which pod or role it is for. */
export default defineCause({
  id: 'kube2iam-cannot-map-caller',
  stage: 'credentialed',
  title: 'kube2iam cannot map the caller’s address to a pod and role',
  scope: 'machine',
  signs: {
    podUnknown: definite(
      ['kube2iam', 'pod-app', 'client-output'],
      /(?<reason>pod with specificed IP)(?: "?(?<address>[\d.]+)"?)? not found/,
    ),
    roleUnknown: likely(
      ['kube2iam', 'pod-app', 'client-output'],
      /[Uu](?<reason>nable to find role for IP) "?(?<address>[\d.]+)/,
    ),
    answeredNotFound: context(
      ['kube2iam'],
      /GET \/latest\/meta-data\/iam\/security-credentials\/? \(404\) took .*req\.remote="?(?<address>[\d.]+)/,
    ),
    addressShared: definite(
      ['kube2iam', 'pod-app', 'client-output'],
      /more than a pod with the same IP has been indexed|\d pods \([^)]*\) with the ip (?<address>\S+) indexed/,
    ),
    roleNotAllowed: definite(
      ['kube2iam', 'pod-app', 'client-output'],
      /role requested (?<role>\S+) not valid for namespace of pod at (?<address>[\d.]+)(?: with namespace (?<namespace>[\w-]+))?/,
    ),
    served: withdraws(
      ['kube2iam'],
      /GET \/latest\/meta-data\/iam\/security-credentials\/[\w+=,.@-]+ \(200\).*req\.remote=(?<address>[\d.]+)/,
    ),
    namespaceNotAllowed: likely(
      ['kube2iam', 'pod-app', 'client-output'],
      /Role: ?(?<role>arn:\S+|[\w/-]+) on namespace: ?(?<namespace>[\w-]+) not found/,
    ),
    roleDiffers: context(
      ['kube2iam'],
      /Error assuming role |Invalid role: does not match annotated role|Error getting instance id, got status|wait for caches to be synced for \d+ however/,
      {
        anchors: [
          'Error assuming role',
          'does not match annotated role',
          'Error getting instance id',
          'for caches to be synced for',
        ],
      },
    ),
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  per: ['address'],
  blocksAbove: false,
  summary: ({ address, role, namespace }) =>
    role === undefined
      ? `kube2iam finds no ${address === undefined ? 'pod and role for its caller' : `one pod with a role for ${address}`}, so that pod gets no AWS credentials.`
      : `kube2iam may not give the role ${role} to pods of ${namespace ?? 'that namespace'}, so they get no AWS credentials.`,
  remedy: ({ role, namespace }) => [
    step(
      'See which pods have that address and which role they are annotated with; pods on the host’s network cannot be distinguished.',
      'kubectl get pods -A -o wide',
    ),
    step(
      'Let kube2iam settle reused addresses and give pods without annotation a default role: --resolve-duplicate-cache-ips, --default-role.',
      'kubectl -n kube-system edit daemonset kube2iam',
    ),
    step(
      'Permit the role in the namespace.',
      `kubectl annotate namespace ${namespace ?? '<namespace>'} --overwrite iam.amazonaws.com/allowed-roles='["${(role ?? '<role>').replaceAll("'", '')}"]'`,
    ),
  ],
  decide: step(
    'See what kube2iam has in its store.',
    'kubectl -n kube-system logs -l app=kube2iam --prefix --tail=200',
  ),
  page: {
    why: 'kube2iam knows callers by address alone. Right after a pod’s start its watch may be late, a finished pod may still hold the address, several pods on the host’s network share one, or the pod has no annotation and there is no default role.',
    prevent:
      'Annotate pods, set a default role without permissions, run one kube2iam per node with --node.',
    notThis:
      'Error assuming role … AccessDenied comes after the mapping worked: the node’s role may not assume the pod’s.',
    alsoKnownAs: ['pod with specificed IP not found'],
    refs: [
      'https://github.com/jtblin/kube2iam/issues/363',
      'https://github.com/jtblin/kube2iam/issues/275',
      'https://github.com/jtblin/kube2iam/blob/HEAD/mappings/mapper.go',
    ],
  },
});
