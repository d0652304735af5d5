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
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** On a machine with several network cards nodeadm's call left through one that leads nowhere. */
const cause = defineCause({
  id: 'secondary-interface-up-first',
  stage: 'bootstrapped',
  title: 'a secondary network card came up first and nodeadm’s EC2 call went nowhere',
  scope: 'machine',
  signs: {
    callHung: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /request failed with unretryable error https response error StatusCode: 0, RequestID: , canceled, context deadline exceeded|expected err to be of type smithy\.APIError, got operation error EC2: DescribeInstances, https response error StatusCode: 0/,
    ),
    retried: context(
      ['nodeadm', 'cloud-init', 'console'],
      /retrying request EC2\/DescribeInstances/,
    ),
    detailsKnown: withdraws(
      ['nodeadm', 'cloud-init', 'console'],
      /(?:Instance details|Default options) populated/,
    ),
  },
  needs: ['aws/instance'],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['private-dns-name-lookup-failed'],
  summary: ({ machine, cards }) =>
    sentence`nodeadm’s only call to EC2 hung until nodeadm’s own deadline on ${machine ?? 'the machine'}${phrase`, which has ${cards} network interfaces`}: a secondary network card was up before the primary, and the request left through it.`,
  remedy: () => [
    step(
      'A reboot, or running the setup again, rescues this machine.',
      'sudo systemctl restart nodeadm-config nodeadm-run',
    ),
    step(
      'Move to a current image: its nodeadm pins the network to the primary interface before it asks EC2.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value',
    ),
  ],
  decide: step(
    'Count the instance’s interfaces and compare with neighbours that joined.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].NetworkInterfaces[].[NetworkInterfaceId,InterfaceType,Attachment.DeviceIndex]',
  ),
  page: {
    why: 'Instances with EFA or several network cards bring all of them up at once. If systemd-networkd configures a secondary card first, it gets the default route, and its subnet or security group has no way to EC2; the one open connection never times out until nodeadm’s own deadline.',
    prevent:
      'Use an image that pins the network to the primary interface until nodeadm has asked EC2.',
    notThis:
      'When every machine of the subnet fails, or the call is repeated with “retrying request”, it is a route or endpoint: private-dns-name-lookup-failed.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/2423',
      'https://github.com/awslabs/amazon-eks-ami/pull/2324',
    ],
  },
});

export default matched(cause, matchHungCall);

type Own = ViewOf<typeof cause>;

/** One hung call, without the retries that an unreachable endpoint causes, on several cards. */
function matchHungCall(view: Own): Match | null {
  const hung = view.sign('callHung');
  if (hung === null) return null;
  const instance = view.read('aws/instance');
  const cards = instance.state === 'seen' ? (instance.value.NetworkInterfaces ?? []).length : 0;
  if (cards === 1) return clear;
  if (cards > 1) return found({ cards: String(cards) }, [hung.first]);
  return view.sign('retried') === null ? found({}, [hung.first], 'likely') : clear;
}
