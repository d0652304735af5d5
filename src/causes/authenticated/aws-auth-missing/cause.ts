import { cannotSay, clear, defineCause, found } from '../../../diagnosis/cause.ts';
import { textAt } from '../../../evidence/json.ts';

/** Nobody created the aws-auth ConfigMap, and no access entry maps the node role either. */
export default defineCause({
  id: 'aws-auth-missing',
  stage: 'authenticated',
  title: 'the cluster has no aws-auth ConfigMap and no access entry for the node role',
  scope: 'cluster',
  signs: {
    configMapNotFound: {
      in: ['client-output', 'kube-apiserver', 'controller-manager', 'cloud-init', 'terraform'],
      anchors: ['aws-auth'],
      pattern: /configmaps? "?aws-auth"? (?:not found|does not exist)/,
      weight: 'likely',
    },
    roleNotMapped: {
      in: ['authenticator'],
      anchors: ['ARN is not mapped', 'dentity is not mapped'],
      pattern: /access denied.*(?:ARN|[Ii]dentity) is not mapped/,
      weight: 'context',
    },
  },
  needs: ['kube/aws-auth', 'kube/Node', 'aws/access-entry-list', 'aws/cluster'],
  symptoms: ['kubelet-unauthorized', 'boot-verdict'],
  withdrawnBy: [],
  match(view) {
    const configMap = view.read('kube/aws-auth');
    const mode = view
      .list('aws/cluster')
      .map((cluster) => textAt(cluster.value, 'accessConfig.authenticationMode'));
    // Ready nodes mean that somebody is mapped; in mode API nobody reads the ConfigMap.
    const isMapped = view.list('kube/Node').some((node) => node.value.ready === true);
    if (configMap.state === 'seen' || isMapped || mode.includes('API')) return clear;
    const notFound = view.sign('configMapNotFound');
    if (notFound === null) {
      return cannotSay({
        reason: 'not-collected',
        detail: 'whether the ConfigMap aws-auth exists',
        collect: 'kubectl -n kube-system get configmap aws-auth -o yaml',
      });
    }
    const entries = view.read('aws/access-entry-list');
    const maps =
      entries.state === 'seen' &&
      Array.isArray(entries.value) &&
      entries.value.some((arn) => String(arn).includes(':role/'));
    return maps ? clear : found(notFound.first.captures, [notFound.first], 'likely');
  },
  summary: () =>
    'The ConfigMap kube-system/aws-auth does not exist and no access entry maps the node role, so the API server answers every kubelet with 401 Unauthorized.',
  remedy: ({ cluster, role }) => [
    {
      text: 'Let the node role in with an access entry (authentication mode API or API_AND_CONFIG_MAP).',
      command: `aws eks create-access-entry --cluster-name ${cluster ?? '<cluster>'} --principal-arn ${role ?? '<node-role-arn>'} --type EC2_LINUX`,
    },
    {
      text: 'Or, in authentication mode CONFIG_MAP, map the role in aws-auth.',
      command: `eksctl create iamidentitymapping --cluster ${cluster ?? '<cluster>'} --arn ${role ?? '<node-role-arn>'} --group system:bootstrappers,system:nodes --username 'system:node:{{EC2PrivateDNSName}}'`,
    },
  ],
  decide: {
    text: 'See whether the ConfigMap exists and which role it maps.',
    command: 'kubectl -n kube-system get configmap aws-auth -o yaml',
  },
  page: {
    why: 'EKS lets a kubelet in only when its IAM role is mapped to system:nodes. eksctl and managed node groups write that mapping themselves; plain Terraform or CloudFormation for self-managed nodes does not, and nothing warns about it.',
    prevent:
      'Create the access entry (type EC2_LINUX) or the ConfigMap after the cluster and before the nodes, in the same Terraform configuration.',
    notThis:
      '401 means that the identity is unknown; 403 forbidden means that it is known under a wrong name or group. Where the ConfigMap exists without the role it is node-role-not-in-aws-auth; in mode API without entry, access-entry-missing. The CNI complaint of the kubelet is a consequence.',
    alsoKnownAs: ['kubelet Unauthorized', 'You must be logged in to the server'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/2009',
    ],
  },
});
