import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** The user data restarts the machine before its setup is complete. */
const cause = defineCause({
  id: 'reboot-during-bootstrap',
  stage: 'bootstrapped',
  title: 'the user data reboots the machine in the middle of its setup',
  scope: 'machine',
  signs: {
    scriptReboots: context(
      ['cloud-init', 'user-data', 'console'],
      /^(?:.*\+ )?(?:sudo )?(?<command>(?:(?:\/usr)?\/s?bin\/)?(?:reboot(?: -f| now)?|systemctl reboot|shutdown -r (?:now|\+?\d+)|init 6))\s*$/,
    ),
    rebootsAfterUpdate: likely(
      ['cloud-init', 'user-data', 'client-output', 'unknown'],
      /^\s*-?\s*["']?(?:sudo )?(?:yum|dnf|apt(?:-get)?) (?:-y )?(?:update|upgrade|install)\b.{0,200}(?:&&|;) ?(?:sudo )?(?<command>reboot|shutdown -r now|systemctl reboot)["']?\s*$/,
      { anchors: ['reboot', 'shutdown -r'] },
    ),
    systemReboots: context(
      ['journal', 'console', 'nodeadm', 'cloud-init'],
      /System is rebooting|Finished systemd-reboot\.service/,
    ),
    setupBroken: context(
      ['journal', 'console', 'nodeadm'],
      /Dependency failed for (?:nodeadm-run\.service|.*EKS Nodeadm Run)|nodeadm-run\.service: (?:Failed|Main process exited|Job nodeadm-run\.service\/start failed)/,
    ),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, command }) =>
    `The user data reboots ${machine ?? 'the machine'} (${command ?? 'reboot'}) before nodeadm has finished, and on the second boot the setup does not complete.`,
  remedy: () => [
    step(
      'Take the reboot out of the user data; what needs one (kernel settings, disks, packages) belongs into the image or NodeConfig.',
      'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | grep -nE "reboot|shutdown -r|power_state"',
    ),
    step(
      'On this machine run the setup again.',
      'sudo systemctl restart nodeadm-config nodeadm-run',
    ),
  ],
  decide: step('Count the boots since launch.', 'journalctl --list-boots; last -x reboot | head'),
  page: {
    why: 'nodeadm configures in one unit before cloud-init’s scripts and starts the kubelet in another after them. A script that reboots in between leaves the machine half configured, and cloud-init does not run its scripts a second time.',
    prevent: 'Never reboot from user data of a node.',
    notThis:
      'cloud-init lists its power-state module in every log; only a command that reboots counts. Two boots with a node that is Ready are nothing.',
    refs: ['https://github.com/awslabs/amazon-eks-ami/issues/2611'],
  },
});

export default matched(cause, matchReboot);

type Own = ViewOf<typeof cause>;

function matchReboot(view: Own): Match | null {
  const script = view.sign('scriptReboots');
  const broken = view.sign('setupBroken');
  if (script === null || broken === null || view.sign('systemReboots') === null) return null;
  return found(script.first.captures, [script.first, broken.first], 'likely');
}
