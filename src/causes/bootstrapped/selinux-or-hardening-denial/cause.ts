import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, likely } from '../../../diagnosis/sign.ts';

/** A hardened image denies nodeadm, containerd or the kubelet what they need. */
const cause = defineCause({
  id: 'selinux-or-hardening-denial',
  stage: 'bootstrapped',
  title: 'SELinux or hardening denies the node’s programs what they need',
  scope: 'machine',
  signs: {
    denied: likely(
      ['journal', 'kernel', 'console', 'host-file', 'nodeadm', 'containerd', 'kubelet'],
      /avc:\s+denied\s+\{ (?<permission>[\w ]+) \}.{0,200}\bcomm="(?<program>\(?(?:nodeadm|kubelet|containerd|ntainerd|crio|runc)\)?)".{0,600}\bpermissive=0/,
      { anchors: ['avc:  denied', 'avc: denied'] },
    ),
    pathRefused: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.{0,200}?\b(?:open|stat|mkdir|readdirent|fork\/exec|unlinkat|rename) (?<path>\/(?:etc\/eks|etc\/nodeadm|run\/eks|var\/lib\/kubelet|etc\/kubernetes|etc\/containerd)[^\s:"]*): (?<reason>permission denied|no such file or directory|read-only file system)/,
      { anchors: ['Command failed'] },
    ),
    registered: clears(['kubelet'], /Successfully registered node|was previously registered/, {
      strict: true,
    }),
    callRefused: context(
      ['kubelet', 'ipamd', 'calico-node', 'kubeadm', 'cloud-init'],
      /(?:Failed to set rlimit on max file handles|kubelet needs to run as uid|Failed to listen on Unix socket|failed to set socket permissions|Unable to update backing store after restoration|failed to bring up ENI|failed to add static ARP|failed to apply oom score).*(?:operation not permitted|permission denied|being run as)|found no writeable directory, exiting/,
      {
        anchors: [
          'rlimit on max file handles',
          'kubelet needs to run as uid',
          'Failed to listen on Unix socket',
          'failed to set socket permissions',
          'Unable to update backing store',
          'failed to bring up ENI',
          'failed to add static ARP',
          'failed to apply oom score',
          'found no writeable directory, exiting',
        ],
      },
    ),
    notPermitted: context(
      ['journal', 'console', 'nodeadm', 'kubelet', 'containerd'],
      /(?:Failed at step EXEC spawning|Failed to (?:locate|execute)(?: executable)?) (?<blocked>\/\S*\/(?:nodeadm|kubelet|containerd)): Permission denied/,
      {
        anchors: [
          '/nodeadm: Permission denied',
          '/kubelet: Permission denied',
          '/containerd: Permission denied',
        ],
      },
    ),
    mayBeRun: context(
      ['client-output', 'host-file', 'unknown', 'journal', 'nodeadm'],
      /-rwx(?:r-x){2}[.+]? .{1,120} (?<blocked>\/\S*\/(?:nodeadm|kubelet|containerd))\s*$/,
      { isBackground: true },
    ),
    toldMode: context(
      ['client-output', 'unknown'],
      /\bpermissions?\b.{0,30}\b(?:right|fine|ok|okay|correct|good|0?755)\b|\b0?755 permissions?\b|\b(?:has|is|are|with|mode) 0?755\b|\bCIS (?:[Bb]enchmark|[Ll]evel)|\b(?:CIS|STIG)[- ][Hh]ardened\b|\b[Hh]ardened (?:AMI|image)s?\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: [
          'permission',
          'CIS benchmark',
          'CIS Benchmark',
          'CIS level',
          'CIS Level',
          'ardened AMI',
          'ardened image',
          ...['CIS', 'STIG'].flatMap((by) => [
            `${by} hardened`,
            `${by}-hardened`,
            `${by} Hardened`,
          ]),
          ...['has', 'is', 'are', 'with', 'mode'].flatMap((verb) => [
            `${verb} 0755`,
            `${verb} 755`,
          ]),
        ],
      },
    ),
    enforced: context(
      ['client-output', 'host-file', 'journal'],
      /^\s*SELINUX ?= ?["'`]?enforcing\b/,
    ),
    toldEnforced: context(['client-output', 'unknown'], /\bSELINUX ?= ?["'`]?enforcing\b/, {
      isTold: true,
      anchors: ['SELINUX'],
    }),
    programFails: context(
      ['client-output', 'journal', 'nodeadm'],
      /\b(?:nodeadm|kubelet|containerd)\b.{0,20}\b(?:fails to|failed to|cannot|can't|does not|doesn't) (?:run|start|join)/,
    ),
    keyNotLabeled: likely(
      ['event', 'kubelet', 'containerd', 'journal', 'pod-status', 'client-output'],
      /(?<reason>write \/proc\/self\/attr\/keycreate: (?:permission denied|invalid argument))/,
    ),
    reportedByAudit: likely(
      ['journal', 'console', 'kernel', 'client-output', 'unknown'],
      /SELinux is preventing (?<program>\S*(?:kubelet|containerd|nodeadm|runc\S{0,12})) from (?:using the )?(?<permission>\w+) (?:access|capability)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['nodeadm-units-not-runnable'],
  summary: ({ machine, program, permission, path, reason, blocked }) =>
    blocked !== undefined
      ? `systemd on ${machine ?? 'the machine'} may not run ${blocked} although the file’s mode lets it: SELinux or a noexec mount denies it, so the node is not set up.`
      : path === undefined
        ? `SELinux on ${machine ?? 'the machine'} denies ${program ?? 'a program of the node'} “${permission ?? 'access'}” in enforcing mode, so the node is not set up.`
        : `nodeadm on ${machine ?? 'the machine'} cannot use ${path} (${reason ?? 'refused'}); hardening of the image took it away, so the kubelet is never configured.`,
  remedy: ({ path, blocked = path }) => [
    {
      text: 'See what is denied and under which labels.',
      command: `getenforce; sudo ausearch -m avc -ts boot | tail -n 40${blocked === undefined ? '' : `; ls -ldZ ${blocked}`}`,
    },
    step(
      'Confirm on one machine with permissive mode, then restart the setup.',
      'sudo setenforce 0 && sudo systemctl restart nodeadm-config nodeadm-run',
    ),
    step(
      'In the image build restore the folders and labels of the EKS image, or ship a policy module that allows the denied access.',
      'sudo restorecon -Rv /usr/bin/nodeadm /usr/bin/kubelet /usr/bin/containerd /etc/eks /var/lib/kubelet',
    ),
  ],
  decide: step(
    'Look for denials since boot.',
    'getenforce; sudo ausearch -m avc -ts boot | grep -E "nodeadm|kubelet|containerd|runc"',
  ),
  page: {
    why: 'CIS and STIG images enforce SELinux and remove or remount folders. The EKS programs are copied into such an image without a policy of their own, so the first access that the base policy does not know is denied.',
    prevent:
      'Start from an image that EKS supports with enforcing SELinux, or boot-test the hardened image with user data.',
    notThis:
      'Denials with permissive=1 are only reported, nothing was refused. A 203/EXEC without denials is nodeadm-units-not-runnable; kernel settings that a kubelet refuses are unexpected-kernel-parameters.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/2123',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3595',
    ],
  },
});

export default matched(cause, (view) => matchMode(view) ?? matchTold(view));

type Own = ViewOf<typeof cause>;

/** The mode of the file allows what systemd was refused, so something else denies it. */
function matchMode(view: Own): Match | null {
  const refused = view.sign('notPermitted');
  const listed = view.sign('mayBeRun') ?? view.clusterSign('mayBeRun');
  if (refused === null || view.anySign('denied', 'pathRefused')) return null;
  const told = view.sign('toldMode');
  if (listed === null)
    return told === null
      ? null
      : found(refused.first.captures, [refused.first, told.first], 'likely');
  const file = refused.first.captures['blocked'];
  return file === listed.first.captures['blocked']
    ? found(refused.first.captures, [refused.first, listed.first], 'likely')
    : null;
}

/** Somebody turned enforcement on, and a program of the node does not run since. */
function matchTold(view: Own): Match | null {
  const enforced = view.sign('enforced') ?? view.sign('toldEnforced');
  const fails = view.sign('programFails');
  if (enforced === null || fails === null || view.anySign('denied', 'pathRefused')) return null;
  return found({}, [enforced.first, fails.first], 'likely');
}
