import { clear, defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { definite, withdraws } from '../../../diagnosis/sign.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { ENTRIES_OF_CLUSTER } from '../../../domain/planned/lookups.ts';

/** A node group stack wants an access entry, and the cluster only knows the aws-auth ConfigMap. */
const cause = defineCause({
  id: 'access-entry-on-configmap-cluster',
  stage: 'launched',
  title: 'an access entry is refused because the cluster’s authentication mode is CONFIG_MAP',
  scope: 'cluster',
  signs: {
    entryExists: withdraws(
      ['terraform', 'aws-message', 'client-output'],
      /access entry resource is already in use on this cluster/,
    ),
    modeRefused: definite(
      ['terraform', 'aws-message', 'client-output'],
      /authentication mode must be set to one of \[API, API_AND_CONFIG_MAP\]|authentication mode is set to CONFIG_MAP, enable access entries|access entries API is not currently enabled/,
    ),
  },
  needs: ['aws/cluster'],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['access-entry-missing', 'node-creation-failure-verdict'],
  // What stood in the way is gone once the cluster knows access entries.
  summary: () =>
    'The cluster’s authentication mode is CONFIG_MAP, which knows no access entries; creating one for the node role is refused and the node group is rolled back.',
  remedy: () => [
    step(
      'Let the cluster know access entries too (this cannot be taken back).',
      'aws eks update-cluster-config --name <cluster> --access-config authenticationMode=API_AND_CONFIG_MAP',
    ),
    step(
      'Or keep the mode, map the role in aws-auth, and give the node group an existing role so that no entry is made.',
      "eksctl create iamidentitymapping --cluster <cluster> --arn <node-role-arn> --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'",
    ),
  ],
  decide: step(
    'Read the cluster’s authentication mode.',
    'aws eks describe-cluster --name <cluster> --query cluster.accessConfig.authenticationMode',
  ),
  page: {
    why: 'Clusters older than access entries, and those created with mode CONFIG_MAP, refuse every access entry. Newer eksctl releases and Terraform modules create one for each node role without asking for the mode.',
    prevent:
      'Create clusters with API_AND_CONFIG_MAP or API, and state the mode in the configuration.',
    notThis:
      'The stack is rolled back before a machine exists. Machines that launch and get 401 are access-entry-missing (mode API) or node-role-not-in-aws-auth. An entry that exists with a wrong type is wrong-access-entry-type.',
    refs: [
      'https://github.com/eksctl-io/eksctl/issues/7695',
      'https://docs.aws.amazon.com/eks/latest/userguide/grant-k8s-access.html',
    ],
  },
});

const judged = matched(cause, (view) =>
  view
    .list('aws/cluster')
    .some(({ value }) => value.accessConfig?.authenticationMode?.startsWith('API'))
    ? clear
    : null,
);

export default foreseen(
  judged,
  (plan, group) => {
    const { cluster, clusterName } = group;
    const mode = cluster?.value.accessConfig?.authenticationMode ?? null;
    if (cluster === null || mode === null) return NOT_SHOWN;
    if (mode !== 'CONFIG_MAP') return clear;
    const entry = lookedUp(plan, ENTRIES_OF_CLUSTER, clusterName).find(
      ({ change }) => change === 'create',
    );
    if (entry === undefined) return clear;
    return found({}, [
      plan.quote(cluster, `cluster ${clusterName ?? ''} authentication_mode CONFIG_MAP`),
      plan.quote(entry, 'an access entry for it'),
    ]);
  },
  {
    summary: ({ cluster }) =>
      `The authentication mode of cluster ${cluster ?? ''} is CONFIG_MAP, which knows no access entries; EKS will refuse the one that this plan makes, and the apply stops there.`,
    remedy: () => [
      step(
        'Set authentication_mode = "API_AND_CONFIG_MAP" in access_config of the aws_eks_cluster (this cannot be taken back), or take the access entry out and map the role in aws-auth.',
      ),
    ],
  },
);
