import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, definite, likely } from '../../../diagnosis/sign.ts';
import { clearUnlessSeen } from '../../../diagnosis/clear-unless-seen.ts';
import { launchOf } from '../../../domain/instances/launch.ts';
import { foreseenByMatch } from '../../../diagnosis/foresight.ts';
import { hasOwnUserData } from '../../../domain/planned/machine.ts';
import { userDataStep } from '../../../domain/planned/remedies.ts';

/** User data written for Amazon Linux 2 runs on an AL2023 image, where bootstrap.sh only complains. */
const cause = defineCause({
  id: 'al2-user-data-on-al2023',
  stage: 'bootstrapped',
  title: 'user data calls bootstrap.sh on an AL2023 image, which is started by nodeadm',
  scope: 'machine',
  signs: {
    scriptRemoved: definite(
      ['cloud-init', 'console', 'nodeadm'],
      /bootstrap\.sh has been removed from AL2023-based EKS AMIs/,
    ),
    initializedByNodeadm: likely(['cloud-init', 'console'], /nodes are now initialized by nodeadm/),
    toldAbsent: likely(
      ['client-output', 'unknown'],
      /\b(?:can't find|cannot find|no longer (?:find|exists?)|is missing|is gone|missing)\b.{0,30}\bbootstrap(?:\.sh)?\b(?: script)?.{0,20}\/etc\/eks\b|\/etc\/eks\/bootstrap\.sh\b.{0,30}\b(?:no longer exists|does not exist|is missing|is gone)\b.{0,60}(?:AL2023|[Aa]mazon [Ll]inux 2023)|\b(?:there is no|does(?: not|n't) have an?y?) .{0,20}\/etc\/eks\/bootstrap\.sh\b.{0,20}\b(?:any ?more|any longer)\b/,
      { isTold: true, anchors: ['/etc/eks'] },
    ),
    toldNoScript: context(
      ['client-output', 'unknown'],
      /\b(?:there (?:is|was) no|does(?: not|n't) (?:have|ship|include|contain)|without|could(?: not|n't) find|can(?:not|'t) find|no longer (?:has|have|ships?|contains?))\b.{0,40}\/etc\/eks\/bootstrap\.sh\b|\/etc\/eks\/bootstrap\.sh\b.{0,40}\b(?:not (?:there|found|present)|removed|missing|gone)\b/,
      { isTold: true, anchors: ['/etc/eks/bootstrap.sh'] },
    ),
    scriptAbsent: context(
      ['cloud-init', 'console'],
      /\/instance\/scripts\/\S+: line \d+: \/etc\/eks\/bootstrap\.sh: No such file/,
    ),
    toldImage: context(
      ['client-output', 'unknown'],
      /\b(?:AL ?2023|[Aa]mazon[ -]?[Ll]inux[ -]?2023)\b/,
      {
        isTold: true,
        isBackground: true,
        anchors: ['AL2023', 'AL 2023', 'inux 2023', 'inux-2023', 'inux2023'],
      },
    ),
    imageIsAl2023: context(['cloud-init', 'console', 'nodeadm', 'kernel', 'journal'], /\.amzn2023/),
    kubeletRuns: clears(
      ['kubelet'],
      /Starting kubelet main sync loop|Observed pod startup duration/,
      { strict: true },
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: ['boot-verdict', 'user-data-script-failed', 'machine-without-node'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['nodeconfig-missing', 'failed-user-script'],
  summary: ({ machine, instance, image }) =>
    `The user data of ${instance ?? machine ?? 'the machine'} calls /etc/eks/bootstrap.sh, which ${image === undefined ? 'AL2023 images no longer have' : `its AL2023 image ${image} no longer has`}; nodeadm gets no NodeConfig and the kubelet is never configured.`,
  remedy: () => [
    step(
      'Read the four values that the NodeConfig needs.',
      "aws eks describe-cluster --name <cluster> --query 'cluster.{name:name,apiServerEndpoint:endpoint,certificateAuthority:certificateAuthority.data,cidr:kubernetesNetworkConfig.serviceIpv4Cidr}'",
    ),
    step(
      'In the launch template replace the bootstrap.sh call by a MIME part of type application/node.eks.aws with kind NodeConfig; --kubelet-extra-args become spec.kubelet.flags. Then replace the machines.',
      'nodeadm config check -c file://nodeconfig.yaml',
    ),
  ],
  decide: step(
    'Read the user data and the last lines of cloud-init.',
    'sudo cat /var/lib/cloud/instance/user-data.txt; sudo tail -n 30 /var/log/cloud-init-output.log',
  ),
  page: {
    why: 'On Amazon Linux 2 a shell script configured the kubelet and fetched the cluster’s endpoint itself. AL2023 images start with nodeadm, which reads a NodeConfig from user data and asks nobody; the old script is kept only to print why it does nothing.',
    prevent:
      'Change image family and user data in one step; in Karpenter let amiFamily: AL2023 write the user data, in eksctl and Terraform set the AMI type to AL2023.',
    notThis:
      'User data with both the script and a NodeConfig prints the same complaint and joins. No script and no NodeConfig is nodeconfig-missing; a NodeConfig that cannot be read is undecodable-nodeconfig.',
    alsoKnownAs: ['ERROR: bootstrap.sh has been removed from AL2023-based EKS AMIs.'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/templates/al2023/runtime/rootfs/etc/eks/bootstrap.sh',
      'https://github.com/awslabs/amazon-eks-ami/issues/2426',
      'https://github.com/eksctl-io/eksctl/issues/7749',
    ],
  },
});

const judged = matched(cause, (view) => matchGiven(view) ?? matchAbsentScript(view));

type Own = ViewOf<typeof cause>;

/** The first AL2023 images had no script in that place at all. */
function matchAbsentScript(view: Own): Match | null {
  const absent = view.sign('scriptAbsent') ?? view.sign('toldNoScript');
  const image = view.sign('imageIsAl2023') ?? view.sign('toldImage');
  if (absent === null || image === null) return null;
  return found({}, [absent.last, image.first], 'likely');
}

/** The script is called, and no NodeConfig comes along with it. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch === null || launch.family === null) return null;
  const sound = clearUnlessSeen(view, ['scriptRemoved', 'initializedByNodeadm']);
  if (launch.family !== 'al2023') return sound;
  const { bootstrapCall, nodeConfigs, namesNodeadm, mimeFault } = launch.given.value;
  if (bootstrapCall === null || nodeConfigs.length > 0 || namesNodeadm) return sound;
  if (mimeFault !== null || !view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, image: launch.imageName }, [
    view.quote(launch.given, `user data of ${launch.id} calls ${bootstrapCall.words}`),
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
  ]);
}

export default foreseenByMatch(judged, hasOwnUserData, {
  remedy: () => [
    step(
      userDataStep(
        'replace the call of bootstrap.sh by a MIME part of type application/node.eks.aws with a NodeConfig; --kubelet-extra-args become spec.kubelet.flags.',
      ),
    ),
  ],
});
