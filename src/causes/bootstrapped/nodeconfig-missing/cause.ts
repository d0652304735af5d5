import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { type Launch, launchOf } from '../../../domain/instances/launch.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** nodeadm looked into user data and its drop-in folder and found no NodeConfig. */
const cause = defineCause({
  id: 'nodeconfig-missing',
  stage: 'bootstrapped',
  title: 'the user data contains no NodeConfig',
  scope: 'machine',
  signs: {
    chainEmpty: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*\bno config in chain\b/,
    ),
    notInUserData: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*[Cc]ould not find NodeConfig within UserData/,
    ),
    userDataEmpty: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*operation error ec2imds: GetUserData,.*StatusCode: 404/,
      { strict: true },
    ),
    warned: context(
      ['nodeadm', 'cloud-init', 'console'],
      /[Cc]ould not find NodeConfig within UserData/,
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: ['boot-verdict', 'no-answer-from-metadata', 'machine-without-node'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, instance, form }) =>
    sentence`The user data of ${instance ?? machine ?? 'the machine'} ${phrase`${form} and `}holds no NodeConfig, so nodeadm stops before it configures containerd and the kubelet.`,
  remedy: () => [
    step(
      'Read the four values that the NodeConfig needs.',
      "aws eks describe-cluster --name <cluster> --query 'cluster.{name:name,apiServerEndpoint:endpoint,certificateAuthority:certificateAuthority.data,cidr:kubernetesNetworkConfig.serviceIpv4Cidr}'",
    ),
    step(
      'Put them into a MIME part of type application/node.eks.aws (apiVersion node.eks.aws/v1alpha1, kind NodeConfig) of the launch template and check it on any AL2023 machine.',
      'nodeadm config check -c file://nodeconfig.yaml',
    ),
  ],
  decide: step(
    'See what user data the machine got.',
    'aws ec2 describe-instance-attribute --instance-id <instance> --attribute userData --query UserData.Value --output text | base64 -d',
  ),
  page: {
    why: 'nodeadm does not ask EKS for anything: all it knows of the cluster is the NodeConfig. EKS adds one by itself only for managed node groups without an AMI id of their own; a launch template that names an image must bring it.',
    prevent:
      'With a custom AMI in a managed node group, or self-managed nodes, always write the NodeConfig part; keep a test that decodes the launch template’s user data.',
    notThis:
      'The warning “could not find NodeConfig within UserData” is normal where the NodeConfig comes from /etc/eks/nodeadm.d. User data for Amazon Linux 2 is al2-user-data-on-al2023, a broken MIME boundary malformed-mime-user-data, a NodeConfig that does not parse undecodable-nodeconfig.',
    alsoKnownAs: ['no config in chain', 'could not find NodeConfig within UserData'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/configprovider/chain.go',
      'https://github.com/cloudposse/terraform-aws-eks-node-group/issues/226',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

const FORMS: Readonly<Record<string, string>> = {
  empty: 'is empty',
  script: 'is a shell script',
  'cloud-config': 'is a cloud-config',
  mime: 'is a MIME document',
  toml: 'is TOML',
};

/** What the user data is, where nothing in it can give nodeadm a NodeConfig; null otherwise. */
function formWithoutConfig({ given }: Launch): string | null {
  const { form, mimeFault, nodeConfigs, bootstrapCall, namesNodeadm } = given.value;
  const mayHaveOne = nodeConfigs.length > 0 || namesNodeadm || mimeFault !== null;
  return mayHaveOne || bootstrapCall !== null ? null : (FORMS[form] ?? null);
}

/** Only in an image that EKS publishes: others may bring a NodeConfig along. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch === null || launch.family === null) return null;
  const sound = clearUnlessSeen(view, ['chainEmpty', 'notInUserData', 'userDataEmpty', 'warned']);
  if (launch.family !== 'al2023' || clusterGiven(launch.given.value) !== null) return sound;
  if (!launch.isPublished) return null;
  const form = formWithoutConfig(launch);
  if (form === null || !view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, form }, [
    view.quote(launch.given, `user data of ${launch.id} ${form}, without a NodeConfig`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'add a MIME part of type application/node.eks.aws with a NodeConfig that gives name, apiServerEndpoint, certificateAuthority and cidr of the cluster.',
      ),
    ),
  ],
});
