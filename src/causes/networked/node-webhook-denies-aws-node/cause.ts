import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** EKS lets aws-node change only few fields of a Node, and another webhook changes more in passing. */
export default defineCause({
  id: 'node-webhook-denies-aws-node',
  stage: 'networked',
  title: 'the EKS node webhook refuses aws-node’s label on the Node',
  scope: 'cluster',
  signs: {
    denied: definite(
      ['ipamd', 'aws-node', 'kube-apiserver', 'audit'],
      /admission webhook "vnode\.vpc\.k8s\.aws" denied the request|aws-node can only update limited fields on the Node/,
      { anchors: ['vnode.vpc.k8s.aws', 'aws-node can only update limited fields'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  explains: [
    'eniconfig-missing',
    'trunk-eni-missing',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  summary: () =>
    'EKS refuses aws-node’s update of its Node because a mutating webhook adds fields to it, so the node gets neither its ENIConfig label nor a trunk interface.',
  remedy: () => [
    step(
      'Find the mutating webhooks that take part in updates of nodes.',
      'kubectl get mutatingwebhookconfigurations -o json | jq -r \'.items[] | select(.webhooks[].rules[]?.resources[]? | test("^(nodes|\\\\*)")) | .metadata.name\' | sort -u',
    ),
    step(
      'Exclude Node updates of system:serviceaccount:kube-system:aws-node from it with a matchCondition.',
    ),
    step(
      'Or move to a newer platform version, whose check is corrected.',
      'aws eks describe-cluster --name <cluster> --query cluster.platformVersion',
    ),
  ],
  decide: step(
    'Look for the refusal in ipamd’s log.',
    'sudo grep vnode.vpc.k8s.aws /var/log/aws-routed-eni/ipamd.log | tail -n 3',
  ),
  page: {
    why: 'With custom networking and security groups for pods aws-node writes a label on its Node. The validating webhook of EKS compares the whole object, so labels that a third-party mutating webhook adds on the way count against aws-node.',
    prevent: 'Keep mutating webhooks off Node objects.',
    notThis:
      'A webhook that does not answer at all is another cause. The ENIConfig may well exist (eniconfig-missing).',
    alsoKnownAs: [
      'admission webhook "vnode.vpc.k8s.aws" denied the request: aws-node can only update limited fields on the Node Object',
    ],
    refs: ['https://github.com/aws/amazon-vpc-resource-controller-k8s/issues/350'],
  },
});
