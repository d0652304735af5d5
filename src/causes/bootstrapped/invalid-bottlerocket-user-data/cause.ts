import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';

/** Bottlerocket cannot read its user data as settings. */
export default defineCause({
  id: 'invalid-bottlerocket-user-data',
  stage: 'bootstrapped',
  title: 'the Bottlerocket user data is not valid settings TOML',
  scope: 'machine',
  signs: {
    notToml: {
      in: ['bottlerocket', 'console'],
      anchors: ['Error parsing TOML user data'],
      pattern: /Error parsing TOML user data: (?<reason>.{0,160})/,
      weight: 'definite',
    },
    noSettings: {
      in: ['bottlerocket', 'console'],
      anchors: ['TOML data did not contain'],
      pattern: /(?<reason>TOML data did not contain 'settings' section)/,
      weight: 'definite',
    },
    refusedByApi: {
      in: ['bottlerocket', 'console'],
      anchors: ['Status 400 when PATCHing', 'Json deserialize error'],
      pattern:
        /Status 400 when \S+ \/settings\?tx=bottlerocket-launch: (?<reason>Json deserialize error.{0,160})/,
      weight: 'definite',
    },
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['bottlerocket-setting-generator-failed'],
  match: (view) => matchGiven(view),
  summary: ({ machine, instance, reason }) =>
    `Bottlerocket on ${instance ?? machine ?? 'the machine'} cannot read its user data as settings${reason === undefined ? '' : ` (${reason.trim()})`}, so no service after it is configured.`,
  remedy: () => [
    {
      text: 'Read the user data as the machine got it; line and column in the message count in this text.',
      command:
        'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d | head -n 40',
    },
    {
      text: 'Provide TOML with [settings.kubernetes] api-server, cluster-certificate and cluster-name, each table once; then replace the machines.',
      command: 'python3 -c "import tomllib,sys; tomllib.load(sys.stdin.buffer)" < user-data.toml',
    },
  ],
  decide: {
    text: 'Read the console: early-boot-config is the first service to fail.',
    command: 'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  },
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

type Kinds = 'aws/instance' | 'aws/image' | 'aws/user-data';
type Signs = 'notToml' | 'noSettings' | 'refusedByApi';

const FORMS: Readonly<Record<string, string>> = {
  script: 'it is a shell script',
  'cloud-config': 'it is a cloud-config',
  mime: 'it is a MIME document',
  'node-config': 'it is a NodeConfig of nodeadm',
};

function matchGiven(view: View<Kinds, Signs>): Match | null {
  const launch = launchOf(view);
  if (launch?.family !== 'bottlerocket') return null;
  // Settings that were read as TOML may still have a wrong value, which only the machine says.
  if (launch.given.value.settings !== null)
    return clearUnlessSeen(view, ['notToml', 'noSettings', 'refusedByApi']);
  const reason = FORMS[launch.given.value.form];
  if (reason === undefined) return null;
  if (!view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, reason }, [
    view.quote(launch.given, `user data of ${launch.id} is no TOML: ${reason}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}
