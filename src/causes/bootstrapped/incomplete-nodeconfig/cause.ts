import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** The NodeConfig parses but does not name everything that nodeadm must know of the cluster. */
const cause = defineCause({
  id: 'incomplete-nodeconfig',
  stage: 'bootstrapped',
  title: 'the NodeConfig lacks a mandatory cluster field',
  scope: 'machine',
  signs: {
    fieldMissing: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /(?<field>Name|Apiserver endpoint|Certificate authority|CIDR) is missing in cluster configuration/i,
      { anchors: ['is missing in cluster configuration'] },
    ),
    outpostId: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /(?<field>cluster ID(?= must be provided for outposts)|clusterId(?= cannot be empty when outpost))/i,
      {
        anchors: [
          'cluster ID must be provided for outposts',
          'cannot be empty when outpost is enabled',
        ],
      },
    ),
    cidrInvalid: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*is not a valid IP Address\. error: invalid (?<field>CIDR) address/,
      { anchors: ['is not a valid IP Address. error: invalid CIDR'] },
    ),
    // What was loaded is logged before it is checked.
    clusterEmpty: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /Loaded configuration.{0,200}"spec":\{(?<field>"cluster":\{\})/,
    ),
    familyInvalid: context(['nodeadm', 'cloud-init', 'console'], /bad ipFamily: /),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, instance, field }) =>
    `The NodeConfig of ${instance ?? machine ?? 'the machine'} does not give the cluster’s ${field ?? 'name, endpoint, certificate authority or CIDR'}; nodeadm refuses it and the kubelet is never configured.`,
  remedy: () => [
    step(
      'Read the values.',
      "aws eks describe-cluster --name <cluster> --query 'cluster.{name:name,apiServerEndpoint:endpoint,certificateAuthority:certificateAuthority.data,cidr:kubernetesNetworkConfig.serviceIpv4Cidr}'",
    ),
    step(
      'Write all four under spec.cluster of the NodeConfig in the launch template and replace the machines.',
      'nodeadm config check -c file://nodeconfig.yaml',
    ),
  ],
  decide: step(
    'Read what nodeadm says about its configuration.',
    'journalctl -u nodeadm-config --no-pager | tail -n 20',
  ),
  page: {
    why: 'bootstrap.sh of Amazon Linux 2 filled in endpoint, certificate authority and service CIDR from DescribeCluster. nodeadm does not call EKS, so every field has to be in user data; a Terraform output that is empty at plan time is enough to lose one.',
    prevent:
      'Let one module render the whole spec.cluster block from the cluster it creates, and fail the plan when a value is empty.',
    notThis:
      'No NodeConfig at all is nodeconfig-missing. A value that is there but wrong passes this check and fails later, for example as untrusted-api-certificate or api-name-unresolvable.',
    alsoKnownAs: [
      'CIDR is missing in cluster configuration',
      'Apiserver endpoint is missing in cluster configuration',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/api/validation.go',
    ],
  },
});

const judged = matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

const FIELDS = [
  ['name', 'name'],
  ['endpoint', 'apiServerEndpoint'],
  ['authority', 'certificateAuthority'],
  ['cidr', 'cidr'],
] as const;

/** Only in an image that EKS publishes: others may add fields by a file of their own. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch?.family !== 'al2023' || !launch.isPublished) return null;
  const configs = launch.given.value.nodeConfigs;
  const cluster = clusterGiven(launch.given.value);
  if (configs.length === 0 || configs.some(({ unreadable }) => unreadable !== null)) return null;
  const missing = FIELDS.filter(([key]) => cluster?.[key] === null).map(([, field]) => field);
  if (missing.length === 0) return clearUnlessSeen(view, ['fieldMissing', 'outpostId']);
  if (!view.shows('machine-without-node')) return null;
  const field = missing.join(', ');
  return found({ instance: launch.id, field }, [
    view.quote(launch.given, `NodeConfig in the user data of ${launch.id} lacks ${field}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'give name, apiServerEndpoint, certificateAuthority and cidr under spec.cluster of the NodeConfig, from the attributes of the aws_eks_cluster.',
      ),
    ),
  ],
});
