import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** The AWS provider inside an old kubelet does not find the instance on which it runs. */
export default defineCause({
  id: 'instance-not-found-by-kubelet',
  stage: 'identified',
  title: 'the AWS provider inside the kubelet does not find its own instance',
  scope: 'machine',
  signs: {
    noIdFromCloud: likely(
      ['kubelet'],
      /failed to get (?:instance|external) ID from cloud ?provider: instance not found/,
      { anchors: ['ID from cloud provider', 'ID from cloudprovider'], strict: true },
    ),
    nodeNotMade: likely(
      ['kubelet'],
      /Unable to construct (?:api|v1)\.Node object for kubelet"?(?:: | err=")failed to get (?:instance|external) ID from cloud ?provider: instance not found/,
    ),
    noInstanceOfName: likely(
      ['kubelet'],
      /getInstanceByNodeName failed for "?[^"\s]+"? with "?instance not found/,
    ),
    noAddress: likely(
      ['kubelet'],
      /failed to get node address(?:es)? from cloud ?provider:? .{0,120}(?:no instances found for name|instance not found)/,
    ),
    notAllowedToLook: definite(
      ['kubelet'],
      /^(?!.*Cloud provider could not be initialized).*could not init cloud provider "aws".*(?<denied>UnauthorizedOperation)/,
    ),
    selfNotFound: definite(
      ['kubelet'],
      /could not init cloud provider "aws": error finding instance (?<instance>i-[0-9a-f]{8,17}): \W{0,3}(?:instance not found|InvalidInstanceID)/,
    ),
  },
  needs: [],
  symptoms: ['instance-not-found'],
  summary: ({ machine, denied }) =>
    denied === undefined
      ? `The AWS provider inside the kubelet of ${machine ?? 'the machine'} finds no instance under the name it uses, so no Node is made.`
      : `The AWS provider inside the kubelet of ${machine ?? 'the machine'} may not call ec2:DescribeInstances (${denied}), so the kubelet exits.`,
  remedy: ({ denied }) => [
    denied === undefined
      ? step(
          'Give the machine the name that EC2 has for it, then restart the kubelet.',
          'sudo hostnamectl set-hostname $(aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsName --output text) && sudo systemctl restart kubelet',
        )
      : step(
          'Let the instance role look at instances.',
          'aws iam put-role-policy --role-name <node-role> --policy-name describe-instances --policy-document \'{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["ec2:DescribeInstances","ec2:DescribeRegions"],"Resource":"*"}]}\'',
        ),
    step(
      'Kubernetes 1.27 has no AWS provider in the kubelet any more: plan for the external cloud controller.',
    ),
  ],
  decide: step(
    'Look the instance up by the name that the kubelet uses.',
    'aws ec2 describe-instances --filters Name=private-dns-name,Values=<node> --query Reservations[].Instances[].InstanceId',
  ),
  page: {
    why: 'With --cloud-provider=aws the kubelet asks EC2 for the instance whose private DNS name is the Node name. A DHCP domain, a renamed host or a missing ec2:DescribeInstances leaves it without an answer.',
    prevent:
      'Host name equal to the private DNS name, and the documented node policy; or the external cloud controller.',
    notThis:
      'The inner error decides: timeouts are no-nat-or-vpc-endpoints, “failed to find ClusterID” is cluster-tag-missing-or-contradictory, and a refusal with two names beside it is one of the name causes, which explain this one.',
    refs: [
      'https://github.com/kubernetes/kubernetes/issues/11543',
      'https://docs.aws.amazon.com/eks/latest/userguide/troubleshooting.html',
    ],
  },
});
