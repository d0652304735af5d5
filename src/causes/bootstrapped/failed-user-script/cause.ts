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
import { context, likely } from '../../../diagnosis/sign.ts';

/** A shell part of the user data ended with an error, and with it the node's setup. */
const cause = defineCause({
  id: 'failed-user-script',
  stage: 'bootstrapped',
  title: 'the user-data script failed before the node was set up',
  scope: 'machine',
  signs: {
    scriptFailed: context(
      ['cloud-init', 'console'],
      /Failed running (?<script>\/var\/lib\/cloud\/instance\/scripts\/[^\s[]+) \[(?<code>-?\d+)\]/,
      { anchors: ['Failed running /var/lib/cloud/instance/scripts/'] },
    ),
    moduleFailed: context(
      ['cloud-init', 'console'],
      /Failed to run module scripts[-_]user|Runparts: \d{1,4} failures \(/,
      {
        anchors: [
          'Failed to run module scripts-user',
          'Failed to run module scripts_user',
          'Runparts: ',
        ],
      },
    ),
    notInstalled: context(
      ['cloud-init', 'console'],
      /(?<reason>Cannot find a valid baseurl for repo|Failed to download metadata for repo|Unable to find a match: \S+|No match for argument: \S+|E: Unable to locate package \S+|E: Failed to fetch \S+|E: Package '?[^\s']+'? has no installation candidate)/,
    ),
    objectRefused: context(
      ['cloud-init', 'console'],
      /fatal error: (?<reason>An error occurred \(\w+\) when calling the (?:Head|Get)Object operation)/,
    ),
    bootstrapMissing: context(
      ['cloud-init', 'console'],
      /\/instance\/scripts\/\S+: line \d+: (?<reason>\/etc\/eks\/bootstrap\.sh: No such file or directory)/,
    ),
    scriptLine: context(
      ['cloud-init', 'console'],
      /^\/var\/lib\/cloud\/instance\/scripts\/[\w.-]+: (?:line )?\d+: (?!\/etc\/eks\/bootstrap\.sh)(?<reason>(?!-)[^\s:]{1,200}: (?:command not found|not found|No such file or directory|Permission denied)|syntax error.{0,80})/,
    ),
    commandFailed: context(
      ['cloud-init', 'console'],
      /(?<reason>Ncat: Connection \w+(?: \w+)?|ssh: connect to host .{1,120}|fatal: unable to access .{1,160}|wget: unable to resolve .{1,120}|mount: .{1,60}wrong fs type)/,
    ),
    imageWithNodeadm: context(
      ['cloud-init', 'console', 'nodeadm', 'user-data'],
      /Cloud-init v\. 22\.2\.2 |\.amzn2023|\bnodeadm\b/,
    ),
    variableUnset: likely(
      ['cloud-init', 'console'],
      /(?<script>\/instance\/scripts\/\S+): line \d+: (?<reason>[A-Za-z_]\w*: unbound variable)/,
      { anchors: ['unbound variable'] },
    ),
    boothookFailed: likely(
      ['cloud-init', 'console'],
      /Boothooks script (?<script>\/\S{1,200}) execution error/,
    ),
    optionExecuted: likely(
      ['cloud-init', 'console'],
      /(?<script>\/instance\/scripts\/\S+): line \d+: (?<option>--[a-z][a-z0-9-]*[a-z0-9]): command not found/,
    ),
    bootstrapDone: context(
      ['cloud-init', 'console', 'kubeadm'],
      /\[eks-bootstrap\] INFO: complete|This node has joined the cluster/,
    ),
    joinRefused: context(
      ['kubeadm', 'cloud-init', 'console'],
      /error execution phase|couldn't validate the identity of the API Server/,
    ),
    kubeletRuns: context(
      ['kubelet', 'event'],
      /Starting kubelet main sync loop|Observed pod startup duration|status is now: NodeReady/,
      { strict: true },
    ),
    toldTwice: likely(
      ['client-output', 'unknown'],
      /\b(?:two|both|a second|second) (?:bootstrap|bootstrap\.sh) (?:commands?|calls?|runs?|lines?)\b|\bbootstrap(?:\.sh)?\b.{0,30}\b(?:twice|two times|a second time)\b(?!.{0,40}\b(?:cure[sd]?|fix(?:e[sd])?|help(?:s|ed)?|work(?:s|ed)?|solve[sd]?|repairs?)\b)/,
      { isTold: true, anchors: ['bootstrap'] },
    ),
  },
  needs: [],
  symptoms: ['boot-verdict', 'user-data-script-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  // The script that ended would have written the file.
  explains: ['invalid-cluster-ca-file'],
  summary: ({ machine, script, code, option, reason }) =>
    sentence`The user-data script ${script} of ${machine ?? 'the machine'} ${option === undefined ? `ended with ${code === undefined ? 'an error' : `exit code ${code}`}${phrase` (${reason})`}` : `ran the option ${option} as a command (a line continuation is lost)`}, so the node was not set up by it.`,
  remedy: ({ reason }) => [
    reason?.includes('bootstrap.sh') === true
      ? step(
          'The image is not one of EKS: take the EKS image of the same system and version, or install bootstrap.sh when the image is built.',
          'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id',
        )
      : step(
          'Read what the script said last; the first error is above cloud-init’s own warning.',
          'sudo tail -n 80 /var/log/cloud-init-output.log',
        ),
    step(
      'Give downloads and package installs a timeout and retries, or bake them into the image; then publish a new launch template version and replace the machine.',
    ),
  ],
  decide: step(
    'Read the end of cloud-init’s output and its verdict.',
    'sudo tail -n 80 /var/log/cloud-init-output.log; cloud-init status --long',
  ),
  page: {
    why: 'On Amazon Linux 2 the user-data script itself calls bootstrap.sh, mostly under set -e: whatever fails before that call keeps the kubelet from being configured. On AL2023 nodeadm-run starts only after cloud-init has ended, so a script that hangs holds the node up as well.',
    prevent:
      'Put nothing into user data that needs the internet; test the script on the very image; end it with the bootstrap call.',
    notThis:
      'cloud-init prints the same warning whatever the script did, so that it decides only together with a command of the script’s own that failed, such as a package or a download that was not there. Where the script’s own words name the reason (describe-cluster-failed, wrong-cluster-name-in-user-data, root-volume-full-at-boot, kubeadm-preflight-failed), that is the cause. A script that fails after bootstrap.sh said “complete!” does not keep the node away.',
    alsoKnownAs: [
      'Failed to run module scripts-user',
      'util.py[WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [1]',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/tree/HEAD/templates/al2023/runtime/rootfs/etc/systemd/system',
      'https://github.com/awslabs/amazon-eks-ami/issues/2123',
    ],
  },
});

export default matched(cause, matchScript);

type Own = ViewOf<typeof cause>;

/** cloud-init's warning says only that the script ended; what it could not do must be there too. */
function matchScript(view: Own): Match | null {
  const ended = view.sign('scriptFailed') ?? view.sign('moduleFailed');
  const setUp = [view.sign('bootstrapDone'), view.sign('joinRefused'), runsOf(view, ended)];
  if (setUp.some((sign) => sign !== null)) return clear;
  const reason =
    view.sign('notInstalled') ??
    view.sign('objectRefused') ??
    imageWithoutScript(view) ??
    view.sign('scriptLine') ??
    view.sign('commandFailed');
  if (ended === null || reason === null) return null;
  const details = { ...ended.last.captures, ...reason.last.captures };
  return found(details, [reason.last, ended.last], 'likely');
}

type Sign = ReturnType<Own['sign']>;

/** Cloud-init runs the script at the first boot; a kubelet of long before came with the image. */
const SAME_BOOT_MS = 3_600_000;

/** A kubelet that runs although the script ended. */
function runsOf(view: Own, ended: Sign): Sign {
  const runs = view.sign('kubeletRuns');
  const [then, now] = [runs, ended].map((sign) => sign?.last.moment.when ?? null);
  if (!then || !now || then.clock !== now.clock || then.yearless !== now.yearless) return runs;
  const isEarlier = now.ms - then.ms > SAME_BOOT_MS;
  return isEarlier ? null : runs;
}

/** An AL2023 image lacks bootstrap.sh too, but there the user data is what has to change. */
function imageWithoutScript(view: Own): Sign {
  return view.sign('imageWithNodeadm') === null ? view.sign('bootstrapMissing') : null;
}
