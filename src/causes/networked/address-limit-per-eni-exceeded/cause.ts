import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** EC2 says that the interface is full where ipamd still sees room. */
export default defineCause({
  id: 'address-limit-per-eni-exceeded',
  stage: 'networked',
  title: 'an interface already has all addresses it may have, and ipamd asks for more',
  scope: 'machine',
  signs: {
    refused: likely(
      ['ipamd', 'aws-node', 'cilium'],
      /(?:(?<eni>eni-[0-9a-f]{1,17}\b).{0,400})?(?:PrivateIpAddressLimitExceeded: |Number of private addresses will exceed limit)/,
      { atLeast: 2, enoughOnce: 'alone' },
    ),
    countRefused: likely(
      ['cilium', 'ipamd', 'aws-node'],
      /IpAddressLimitExceeded: Address count (?<asked>\d+) on interface-?(?<eni>\S*) exceeds the limit for (?<type>[\w.-]*\w)/,
    ),
    corrected: withdraws(
      ['ipamd'],
      /[Ss]uccessfully increased IP|IP Address Pool stats: total: [1-9]|node init completed successfully/,
    ),
    full: context(
      ['ipamd', 'aws-node'],
      /api error PrivateIpAddressLimitExceeded|This ENI only has \d+ IP addresses, we wanted/,
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  summary: ({ eni, machine, asked, type }) =>
    asked !== undefined
      ? sentence`The CNI asks for ${asked} addresses on one interface${phrase` of ${type}`}, more than EC2 allows there, so ${machine ?? 'the instance'} gets no further interface.`
      : sentence`The interface ${eni} of ${machine ?? 'the instance'} has all its addresses and ipamd keeps asking for more, so its pool does not grow.`,
  remedy: () => [
    step(
      'Let ipamd read the interface again.',
      'kubectl -n kube-system delete pod -l k8s-app=aws-node --field-selector spec.nodeName=<node>',
    ),
    step(
      'Update the CNI; later releases ask EC2 after this answer.',
      'aws eks update-addon --cluster-name <cluster> --addon-name vpc-cni --resolve-conflicts PRESERVE',
    ),
  ],
  decide: step(
    'Count how often EC2 gave this answer.',
    'sudo grep PrivateIpAddressLimitExceeded /var/log/aws-routed-eni/ipamd.log | tail -n 5',
  ),
  page: {
    why: 'ipamd’s store lost addresses that the interface has, usually after a restart while metadata lagged; it then asks for addresses that do not fit.',
    prevent: 'Keep the CNI current and do not assign addresses to its interfaces by hand.',
    notThis:
      'Once and then no more is a normal correction. With mismatches in every reconcile round it is ipamd-state-out-of-sync.',
    alsoKnownAs: ['PrivateIpAddressLimitExceeded', 'Number of private addresses will exceed limit'],
    refs: ['https://github.com/aws/amazon-vpc-cni-k8s/issues/989'],
  },
});
