import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** ipamd’s books and what EC2 or the runtime really have no longer agree. */
const cause = defineCause({
  id: 'ipamd-state-out-of-sync',
  stage: 'networked',
  title: 'ipamd’s store no longer agrees with EC2 or the container runtime',
  scope: 'machine',
  signs: {
    monitored: definite(['event', 'node-status'], /\bIPAMDInconsistentState\b/),
    recoveryFailed: definite(
      ['ipamd', 'aws-node'],
      /failed ipam state recovery|unknown backing store format|unexpected checkpointVersion|No ENI found at all in metadata, unable to reconcile/,
    ),
    metadataDiffers: likely(['ipamd'], /Instance metadata does not match data store/, {
      atLeast: 5,
    }),
    agrees: withdraws(['ipamd'], /[Ss]uccessfully increased IP|node init completed successfully/),
    attachRefused: context(
      ['ipamd', 'aws-node'],
      /AttachmentLimitExceeded: Interface count (?<count>\d+) exceeds the limit/,
    ),
    poolSize: context(
      ['ipamd'],
      /IP (?:Address )?[Pp]ool stats: [Tt]otal(?: IPs\/Prefixes)?[ =:]+(?<total>\d+).{1,80}(?:maxIPsPerENI|maxAddrsPerENI) = (?<perEni>\d+)/,
    ),
    restarts: context(['event', 'node-status'], /\bIPAMDRepeatedlyRestart\b/),
    foreignAddress: likely(
      ['ipamd'],
      /Skipping IP \S+ on ENI eni-[0-9a-f]+ because it does not belong to this ENI/,
      { atLeast: 4 },
    ),
    // An interface of somebody else is attached and not ipamd's to know (eni-limit-reached).
    foreign: context(
      ['ipamd', 'client-output', 'unknown', 'aws-message'],
      /Skipping ENI eni-[0-9a-f]+: since it is unmanaged/,
      { isBackground: true },
    ),
    toldForeign: context(
      ['client-output', 'unknown', 'terraform', 'ipamd'],
      /\bno_manage\b|\baws_network_interface_attachment\b|\battach(?:es|ed)? (?:an?|one|two|\d|more|additional|extra|further|secondary|\s){1,4}(?:more |additional |extra )?(?:network )?(?:interfaces?|ENIs?)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['no_manage', 'aws_network_interface_attachment', 'attach'],
      },
    ),
    stale: context(
      ['ipamd'],
      /Missing IP addresses from IMDS|Failed to reconcile and delete IP|stale IP allocation for ID|failed normalize checkpoint data/,
    ),
    storeKnowsFewer: likely(
      ['client-output', 'unknown'],
      /\b(?:data ?store|ipamd)\b.{0,60}\bonly (?:\d{1,2}|one|two|three) (?:ENI|interface)s?\b/i,
      { isTold: true, anchors: ['datastore', 'data store', 'DataStore', ' ipamd '] },
    ),
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
  summary: ({ machine }) =>
    `ipamd’s store on ${machine ?? 'the node'} does not agree with the interfaces and addresses that really are there, so pods get addresses that do not work or none.`,
  remedy: () => [
    step(
      'Let ipamd read everything again.',
      'kubectl -n kube-system delete pod -l k8s-app=aws-node --field-selector spec.nodeName=<node>',
    ),
    step(
      'If that does not help, replace the node.',
      'kubectl drain <node> --ignore-daemonsets --delete-emptydir-data',
    ),
  ],
  decide: step(
    'Compare ipamd’s interfaces with EC2’s.',
    "curl -s http://localhost:61679/v1/enis; aws ec2 describe-network-interfaces --filters Name=attachment.instance-id,Values=<instance> --query 'NetworkInterfaces[].NetworkInterfaceId'",
  ),
  page: {
    why: 'Interfaces or addresses changed by hand behind the CNI, a downgrade across a change of the checkpoint’s format, or a wiped checkpoint while pods ran.',
    prevent: 'Leave interfaces of the CNI to the CNI; drain nodes before downgrading it.',
    notThis:
      'One mismatch line right after an interface was attached is the metadata being late. Interfaces that somebody else attached are eni-limit-reached. A daemon that restarts again and again may have any cause; its log tells.',
    alsoKnownAs: ['Instance metadata does not match data store!', 'IPAMDInconsistentState'],
    refs: [
      'https://github.com/aws/amazon-vpc-cni-k8s/issues/391',
      'https://github.com/aws/amazon-vpc-cni-k8s/blob/HEAD/pkg/ipamd/datastore/data_store.go',
    ],
  },
});

export default matched(cause, matchLostInterfaces);

type Own = ViewOf<typeof cause>;

const INTERFACES_MISSED_MIN = 2;

/** ipamd fills its interfaces before it asks for another, so its pool tells how many it knows. */
function matchLostInterfaces(view: Own): Match | null {
  const refused = view.sign('attachRefused')?.last;
  const pool = view.sign('poolSize')?.last;
  if (refused === undefined || pool === undefined) return null;
  if (view.anySign('foreign', 'toldForeign')) return clear;
  const known = Math.ceil(
    Number(pool.captures['total']) / Math.max(Number(pool.captures['perEni']), 1),
  );
  const attached = Number(refused.captures['count']) - 1;
  if (attached - known < INTERFACES_MISSED_MIN) return null;
  return found({ ...refused.captures }, [refused, pool], 'likely');
}
