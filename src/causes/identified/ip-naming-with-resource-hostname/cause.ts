import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** kOps is told to name nodes after addresses, and the subnet names instances after their id. */
export default defineCause({
  id: 'ip-naming-with-resource-hostname',
  stage: 'identified',
  title: 'kOps names nodes after addresses, but the instance has a resource-based host name',
  scope: 'machine',
  signs: {
    refusedByNodeup: definite(
      ['nodeup', 'cloud-init', 'console'],
      /(?:instance "?(?<instance>i-[0-9a-f]{8,17})"? )?.{0,60}was launched with a resource-based hostname; useIPBasedNodeNames requires/,
    ),
    addressNotReadable: definite(
      ['nodeup', 'cloud-init', 'console'],
      /local-ipv4 from AWS metadata is not a valid IPv4 address/,
    ),
  },
  needs: [],
  symptoms: ['node-object-missing'],
  summary: ({ machine }) =>
    `nodeup on ${machine ?? 'the machine'} stops on purpose: useIPBasedNodeNames is set, and the subnet gave the instance a resource-based host name.`,
  remedy: () => [
    step(
      'Let the subnet give IP names to new instances.',
      'aws ec2 modify-subnet-attribute --subnet-id <subnet> --private-dns-hostname-type-on-launch ip-name',
    ),
    step(
      'Or take useIPBasedNodeNames out of the cluster specification; then roll the group.',
      'kops edit cluster && kops update cluster --yes && kops rolling-update cluster --instance-group <group> --yes',
    ),
  ],
  decide: step(
    'Read which kind of host name the instance has.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].PrivateDnsNameOptions',
  ),
  page: {
    why: 'A Node named after the address of an instance that EC2 calls i-… would never be tied to it, so nodeup refuses to continue.',
    prevent: 'One kind of naming in subnets and cluster specification.',
    notThis:
      'A machine that joined and is not found by the cloud controller is resource-based-name-mismatch.',
    refs: ['https://github.com/kubernetes/kops/blob/HEAD/upup/pkg/fi/nodeup/command.go'],
  },
});
