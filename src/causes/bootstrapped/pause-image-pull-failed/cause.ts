import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The image of the pod sandbox cannot be pulled, so no pod at all starts. */
const cause = defineCause({
  id: 'pause-image-pull-failed',
  stage: 'bootstrapped',
  title: 'the pause (sandbox) image cannot be pulled',
  scope: 'machine',
  signs: {
    serviceFailed: likely(
      ['journal', 'containerd', 'console', 'cloud-init'],
      /sandbox-image\.service: (?:Failed with result|[Mm]ain process exited)|Failed to start pull sandbox image/,
    ),
    unitEnded: likely(
      ['journal', 'client-output', 'unknown', 'console'],
      /ExecStart=\S{0,80}pull-sandbox-image\S{0,20} \(code=exited, status=[1-9]/,
      { anchors: ['pull-sandbox-image'] },
    ),
    toldService: likely(
      ['client-output', 'unknown'],
      /\bsandbox-image(?:\.service)?\b.{0,20}\b(?:fails?|failed|failing|ends?|ended)\b.{0,40}\b(?<reason>i\/o timeout|time-?out|401|403|[Uu]nauthorized|no basic auth credentials|connection refused|no such host)\b/,
      { isTold: true, anchors: ['sandbox-image'] },
    ),
    scriptFailed: likely(
      ['journal', 'containerd', 'console', 'cloud-init'],
      /pull-sandbox-image\S{0,40}: .{0,100}(?:(?:level=fatal|ctr: ).{0,200}(?<reason>i\/o timeout|no basic auth credentials|[Uu]nauthorized|401|not found|connection refused|no such host)|(?<reason2>Unable to locate credentials)|panic: (?<reason3>provided file is not a console))/,
    ),
    notAConsole: context(
      ['journal', 'containerd', 'console', 'cloud-init', 'unknown'],
      /Password: panic: (?<reason>provided file is not a console)/,
    ),
    pullsPause: context(
      ['journal', 'containerd', 'console', 'cloud-init', 'unknown'],
      /\bctr\b.{0,200} images? pull (?<image>\S{1,200}\/pause:\S{1,80})/,
      { anchors: ['image pull ', 'images pull '] },
    ),
    pulled: withdraws(
      ['journal', 'containerd', 'console'],
      /(?:Started|Finished) pull sandbox image/,
    ),
    noPassword: likely(
      ['journal', 'containerd', 'console', 'cloud-init'],
      /(?<reason>Unable to retrieve the ECR password)\.?(?! Image pull may)/,
    ),
    sandboxPull: likely(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /failed to get sandbox image "(?<image>[^"\s]+)": (?:failed to pull image|pulling from host).*(?<reason>401 Unauthorized|403 Forbidden|no basic auth credentials|pull access denied|i\/o timeout|connection refused|no such host|not found)/,
    ),
    sandboxPullCut: likely(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /failed to get sandbox image "(?<image>[^"\s]+)": failed to pull image/,
      { atLeast: 6, enoughOnce: 'end' },
    ),
    crioPull: likely(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /creating pod sandbox.*initializing source docker:\/\/(?<image>[^\s"]*\/pause[^\s":]*(?::[\w.-]+)?): .*(?<reason>401 Unauthorized|403 Forbidden|authentication required|i\/o timeout|connection refused|no such host|manifest unknown|not found)/,
    ),
    dockerPull: likely(
      ['event', 'kubelet', 'pod-status'],
      /create pod sandbox.*Error response from daemon: .*?(?<image>[\w.-]+\/(?:v2\/)?eks\/pause\S*?):? .*(?<reason>no basic auth credentials|i\/o timeout|request canceled|[Uu]nauthorized|not found)/,
      { anchors: ['/v2/eks/pause', 'eks/pause-amd64'] },
    ),
  },
  needs: [],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: ['pod-started', 'node-ready'],
  blocksAbove: false,
  summary: ({ machine, image, reason }) =>
    sentence`${machine ?? 'The machine'} cannot pull the pause image${phrase` ${image}`}${phrase` (${reason})`}, so no pod starts on it, the network plugin included.`,
  remedy: ({ image }) => [
    step(
      'Pull it by hand and read the refusal: 401 or “no basic auth” is the role, a time-out is the network.',
      `sudo systemctl restart sandbox-image; sudo crictl pull ${image ?? '<pause-image>'}`,
    ),
    step(
      'Let the node role pull from ECR.',
      'aws iam attach-role-policy --role-name <node-role> --policy-arn arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly',
    ),
    step(
      'In subnets without internet add endpoints for ecr.api and ecr.dkr and the gateway endpoint for S3.',
      'aws ec2 describe-vpc-endpoints --query VpcEndpoints[].[ServiceName,State]',
    ),
  ],
  decide: step(
    'See whether the image is there and whether it can be pulled.',
    'sudo ctr -n k8s.io images ls | grep pause; journalctl -u sandbox-image --no-pager | tail -n 10',
  ),
  page: {
    why: 'Every pod begins with the pause container. Amazon Linux 2 and Bottlerocket pull its image from ECR at boot with the instance’s credentials; without ECR permission, credentials or a way to ECR nothing starts. AL2023 carries the image inside.',
    prevent: 'Move to AL2023; create the ECR and S3 endpoints together with private subnets.',
    notThis:
      'On a node that ran pods before, the image was removed: pause-image-garbage-collected. The permission is node-role-without-ecr-access, the endpoint ecr-api-endpoint-missing, blocked layers ecr-layer-download-blocked: where those are named they are the cause.',
    alsoKnownAs: [
      'failed to get sandbox image "602401143452.dkr.ecr.us-east-1.amazonaws.com/eks/pause:3.5"',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1034',
      'https://github.com/awslabs/amazon-eks-ami/issues/1633',
      'https://github.com/awslabs/amazon-eks-ami/issues/1425',
    ],
  },
});

/** Lines that lost the name of the script: the pull that was started, and how it ended. */
export default matched(cause, (view) => {
  const [end, pull] = [view.sign('notAConsole'), view.sign('pullsPause')];
  if (end === null || pull === null) return null;
  return found({ ...end.last.captures, ...pull.last.captures }, [end.last, pull.last], 'likely');
});
