import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** ipamd’s books and what EC2 or the runtime really have no longer agree. */
export default defineCause({
  id: 'ipamd-state-out-of-sync',
  stage: 'networked',
  title: 'ipamd’s store no longer agrees with EC2 or the container runtime',
  scope: 'machine',
  signs: {
    monitored: {
      in: ['event', 'node-status'],
      anchors: ['IPAMDInconsistentState'],
      pattern: /\bIPAMDInconsistentState\b/,
      weight: 'definite',
    },
    recoveryFailed: {
      in: ['ipamd', 'aws-node'],
      anchors: [
        'failed ipam state recovery',
        'unknown backing store format',
        'unexpected checkpointVersion',
        'unable to reconcile',
      ],
      pattern:
        /failed ipam state recovery|unknown backing store format|unexpected checkpointVersion|No ENI found at all in metadata, unable to reconcile/,
      weight: 'definite',
    },
    metadataDiffers: {
      in: ['ipamd'],
      anchors: ['Instance metadata does not match data store'],
      pattern: /Instance metadata does not match data store/,
      weight: 'likely',
      atLeast: 5,
    },
    agrees: {
      in: ['ipamd'],
      anchors: ['uccessfully increased IP', 'node init completed'],
      pattern: /[Ss]uccessfully increased IP|node init completed successfully/,
      weight: 'withdraws',
    },
    attachRefused: {
      in: ['ipamd', 'aws-node'],
      anchors: ['AttachmentLimitExceeded'],
      pattern: /AttachmentLimitExceeded: Interface count (?<count>\d+) exceeds the limit/,
      weight: 'context',
    },
    poolSize: {
      in: ['ipamd'],
      anchors: ['ool stats: '],
      pattern:
        /IP (?:Address )?[Pp]ool stats: [Tt]otal(?: IPs\/Prefixes)?[ =:]+(?<total>\d+).{1,80}(?:maxIPsPerENI|maxAddrsPerENI) = (?<perEni>\d+)/,
      weight: 'context',
    },
    restarts: {
      in: ['event', 'node-status'],
      anchors: ['IPAMDRepeatedlyRestart'],
      pattern: /\bIPAMDRepeatedlyRestart\b/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'address-limit-per-eni-exceeded',
    'eni-limit-reached',
    'cni-configuration-missing',
    'cni-killed-by-own-probes',
  ],
  match: (view) => matchLostInterfaces(view),
  summary: ({ machine }) =>
    `ipamd’s store on ${machine ?? 'the node'} does not agree with the interfaces and addresses that really are there, so pods get addresses that do not work or none.`,
  remedy: () => [
    {
      text: 'Let ipamd read everything again.',
      command:
        'kubectl -n kube-system delete pod -l k8s-app=aws-node --field-selector spec.nodeName=<node>',
    },
    {
      text: 'If that does not help, replace the node.',
      command: 'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    },
  ],
  decide: {
    text: 'Compare ipamd’s interfaces with EC2’s.',
    command:
      "curl -s http://localhost:61679/v1/enis; aws ec2 describe-network-interfaces --filters Name=attachment.instance-id,Values=<instance> --query 'NetworkInterfaces[].NetworkInterfaceId'",
  },
  page: {
    why: 'Interfaces or addresses changed by hand behind the CNI, a downgrade across a change of the checkpoint’s format, or a wiped checkpoint while pods ran.',
    prevent: 'Leave interfaces of the CNI to the CNI; drain nodes before downgrading it.',
    notThis:
      'One mismatch line right after an interface was attached is the metadata being late. A daemon that restarts again and again may have any cause; its log tells.',
    alsoKnownAs: ['Instance metadata does not match data store!', 'IPAMDInconsistentState'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/391',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/datastore/data_store.go',
    ],
  },
});

type Signs =
  | 'monitored'
  | 'recoveryFailed'
  | 'metadataDiffers'
  | 'agrees'
  | 'attachRefused'
  | 'poolSize'
  | 'restarts';

const INTERFACES_MISSED_MIN = 2;

/** ipamd fills its interfaces before it asks for another, so its pool tells how many it knows. */
function matchLostInterfaces(view: View<never, Signs>): Match | null {
  const refused = view.sign('attachRefused')?.last;
  const pool = view.sign('poolSize')?.last;
  if (refused === undefined || pool === undefined) return null;
  const known = Math.ceil(
    Number(pool.captures['total']) / Math.max(Number(pool.captures['perEni']), 1),
  );
  const attached = Number(refused.captures['count']) - 1;
  if (attached - known < INTERFACES_MISSED_MIN) return null;
  return found({ ...refused.captures }, [refused, pool], 'likely');
}
