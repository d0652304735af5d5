import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** Bottlerocket cannot read its user data as settings. */
const cause = defineCause({
  id: 'invalid-bottlerocket-user-data',
  stage: 'bootstrapped',
  title: 'the Bottlerocket user data is not valid settings TOML',
  scope: 'machine',
  signs: {
    notToml: definite(
      ['bottlerocket', 'console'],
      /Error parsing TOML user data: (?<reason>.{0,160})/,
    ),
    noSettings: definite(
      ['bottlerocket', 'console'],
      /(?<reason>TOML data did not contain 'settings' section)/,
    ),
    refusedByApi: definite(
      ['bottlerocket', 'console'],
      /Status 400 when \S+ \/settings\?tx=bottlerocket-launch: (?<reason>Json deserialize error.{0,160})/,
      { anchors: ['Status 400 when PATCHing', 'Json deserialize error'] },
    ),
    parameterUnknown: context(['karpenter'], /Unknown parameter in userData K8s settings/),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['bottlerocket-setting-generator-failed', 'impaired-status-check'],
  summary: ({ machine, instance, reason }) =>
    `Bottlerocket on ${instance ?? machine ?? 'the machine'} cannot read its user data as settings${reason === undefined ? '' : ` (${reason.trim()})`}, so no service after it is configured.`,
  remedy: () => [
    step(
      'Read the user data as the machine got it; line and column in the message count in this text.',
      'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | head -n 40',
    ),
    step(
      'Provide TOML with [settings.kubernetes] api-server, cluster-certificate and cluster-name, each table once; then replace the machines.',
      'python3 -c "import tomllib,sys; tomllib.load(sys.stdin.buffer)" < user-data.toml',
    ),
  ],
  decide: step(
    'Read the console: early-boot-config is the first service to fail.',
    'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  ),
  page: {
    why: 'Bottlerocket has no shell: its user data is one TOML document of settings. A shell script or MIME document left over from Amazon Linux, a table that two tools both wrote, or an unknown key makes the first boot service fail and everything after it with it.',
    prevent:
      'Render the TOML in the pipeline and parse it; let only one tool write [settings.kubernetes].',
    notThis:
      'Text that Karpenter or EKS itself refuses never launches an instance (user-data-rejected-at-launch). TOML given to Amazon Linux ends as nodeconfig-missing.',
    alsoKnownAs: [
      'early-boot-config: Provider error: Unable to serialize settings from instance user data: Error parsing TOML user data',
    ],
    refs: [
      'https://github.com/bottlerocket-os/bottlerocket/issues/1346',
      'https://github.com/aws/karpenter-provider-aws/issues/3536',
      'https://github.com/terraform-aws-modules/terraform-aws-eks/issues/3476',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

const FORMS: Readonly<Record<string, string>> = {
  script: 'it is a shell script',
  'cloud-config': 'it is a cloud-config',
  mime: 'it is a MIME document',
  'node-config': 'it is a NodeConfig of nodeadm',
};

function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch?.family !== 'bottlerocket') return null;
  // Settings that were read as TOML may still have a wrong value, which only the machine says.
  if (launch.given.value.settings !== null)
    return clearUnlessSeen(view, ['notToml', 'noSettings', 'refusedByApi']);
  const reason = FORMS[launch.given.value.form];
  if (reason === undefined) return null;
  if (!view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, reason }, [
    view.quote(launch.given, `user data of ${launch.id} is not TOML: ${reason}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'give TOML with [settings.kubernetes] api-server, cluster-certificate and cluster-name.',
      ),
    ),
  ],
});
