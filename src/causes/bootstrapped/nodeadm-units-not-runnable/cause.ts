import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** systemd knows the nodeadm units but cannot run them, or drops them to break a cycle. */
const cause = defineCause({
  id: 'nodeadm-units-not-runnable',
  stage: 'bootstrapped',
  title: 'systemd cannot run the nodeadm units of this image',
  scope: 'machine',
  signs: {
    jobDeleted: definite(
      ['journal', 'console', 'kernel', 'nodeadm'],
      /Job (?<unit>nodeadm-[\w-]+\.service)\/start deleted to break ordering cycle/,
    ),
    cloudInitDeleted: likely(
      ['journal', 'console', 'kernel', 'nodeadm', 'cloud-init'],
      /Job (?<unit>cloud-(?:init|init-local|init-network|config|final)\.service)\/start deleted to break ordering cycle/,
    ),
    notExecutable: definite(
      ['journal', 'console', 'nodeadm'],
      /(?:Failed at step EXEC spawning|Failed to (?:locate|execute)(?: executable)?) (?<program>\S*\/nodeadm): (?<reason>No such file or directory|Exec format error)/,
      { anchors: ['/usr/bin/nodeadm', 'bin/nodeadm:'] },
    ),
    // SELinux says the same; its own denial or the mode of the file tells which it is.
    notPermitted: context(
      ['journal', 'console', 'nodeadm'],
      /(?:Failed at step EXEC spawning|Failed to (?:locate|execute)(?: executable)?) (?<program>\S*\/nodeadm): (?<reason>Permission denied)/,
      { anchors: ['/usr/bin/nodeadm', 'bin/nodeadm:'] },
    ),
    noExecuteBit: context(
      ['client-output', 'host-file', 'unknown', 'journal', 'nodeadm'],
      /(?<mode>-(?:[r-][w-]-){3})[.+]? .{1,120} (?<program>\/\S*bin\/nodeadm)\s*$/,
    ),
    execStatus: context(
      ['journal', 'console', 'nodeadm'],
      /(?<unit>nodeadm-[\w-]+\.service): Main process exited, code=exited, status=203\/EXEC/,
    ),
    networkctlMissing: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /exec: "(?<program>networkctl)": executable file not found/,
      { anchors: ['networkctl'] },
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, unit, program, reason, mode }) =>
    program === undefined
      ? `systemd on ${machine ?? 'the machine'} did not run ${unit ?? 'the nodeadm units'}, so the user data is not applied and the kubelet is never configured.`
      : `${machine ?? 'The machine'} cannot run ${program}${reason === undefined ? ' (it is not installed)' : ` (${mode === undefined ? reason : `${reason}, its mode is ${mode}`})`}, so the NodeConfig is not applied and the kubelet is never configured.`,
  remedy: ({ program }) => [
    step(
      'See the unit’s failure together with the file’s mode, label and mount options.',
      `systemctl status nodeadm-config nodeadm-run --no-pager; ls -lZ ${program ?? '/usr/bin/nodeadm'}; findmnt -T /usr/bin -o OPTIONS; getenforce`,
    ),
    step(
      'In the image build allow the program (mode 0755, SELinux label, fapolicyd rule, no noexec mount), provide networkctl, or correct After= and WantedBy= of the units for this distribution; bake again and boot-test.',
      'sudo restorecon -v /usr/bin/nodeadm; sudo systemd-analyze verify nodeadm-config.service nodeadm-run.service',
    ),
  ],
  decide: step(
    'Ask systemd why the units did not run.',
    'journalctl -b -u nodeadm-config -u nodeadm-run --no-pager; journalctl -b --no-pager | grep "ordering cycle"',
  ),
  page: {
    why: 'The nodeadm units are made for Amazon Linux 2023. On RHEL or hardened images cloud-init has other targets (a cycle that systemd breaks by dropping a job), execution may be refused by SELinux, fapolicyd or a noexec mount, and systemd-networkd’s networkctl may be missing.',
    prevent: 'Boot-test every custom AMI once with user data before it is released.',
    notThis:
      '“Permission denied” and 203/EXEC alone do not tell why: a mode without x is this cause, AVC denials in the audit log are selinux-or-hardening-denial. Units that are missing or masked are nodeadm-units-absent-or-masked. A unit that ran and then failed says why in nodeadm’s own log.',
    alsoKnownAs: ['Failed at step EXEC spawning /usr/bin/nodeadm: Permission denied'],
    refs: [
      'https://github.com/aws-samples/amazon-eks-ami-rhel/pull/22',
      'https://github.com/awslabs/amazon-eks-ami/issues/2426',
      'https://github.com/awslabs/amazon-eks-ami/issues/2123',
    ],
  },
});

export default matched(cause, matchMode);

type Own = ViewOf<typeof cause>;

/** “Permission denied” has two reasons; the mode of the file tells this one. */
function matchMode(view: Own): Match | null {
  const [denied, mode] = [view.sign('notPermitted'), view.sign('noExecuteBit')];
  if (denied === null || mode === null) return null;
  return found({ ...mode.last.captures, ...denied.last.captures }, [denied.last, mode.last]);
}
