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

/** systemd has no nodeadm units to start: the image is no EKS image, or they are masked. */
const cause = defineCause({
  id: 'nodeadm-units-absent-or-masked',
  stage: 'bootstrapped',
  title: 'the image has no nodeadm units, or they are masked',
  scope: 'machine',
  signs: {
    notFound: likely(
      ['journal', 'cloud-init', 'console', 'client-output', 'nodeadm'],
      /Unit (?:file )?(?<unit>nodeadm-(?:config|run)\.service) (?:could not be found|not found|does not exist)/,
    ),
    masked: definite(
      ['journal', 'cloud-init', 'console', 'client-output', 'nodeadm'],
      /Unit (?<unit>nodeadm-(?:config|run)\.service) is masked|(?<unit2>nodeadm-(?:config|run)\.service)\s+masked\b|(?<unit3>nodeadm-(?:config|run)\.service).{0,40}Loaded: masked/,
    ),
    programMissing: likely(
      ['cloud-init', 'console', 'journal'],
      /\bnodeadm(?:: command not found| (?:isn'?t|is not) installed)/,
    ),
    loaded: context(
      ['journal', 'console', 'client-output', 'nodeadm'],
      /Loaded: loaded \(\S{0,60}\/nodeadm-(?:config|run)\.service; enabled/,
    ),
    otherwiseStarted: clears(
      ['kubelet', 'cloud-init', 'nodeup', 'kubeadm'],
      /Starting kubelet main sync loop|Successfully registered node|was previously registered|\[eks-bootstrap\] INFO/,
    ),
  },
  needs: ['aws/instance', 'aws/image', 'aws/user-data'],
  symptoms: ['user-data-script-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['failed-user-script'],
  summary: ({ machine, instance, image, unit }) =>
    image !== undefined
      ? `${instance ?? 'The machine'} runs the image ${image}, which is not an EKS image and has no nodeadm; nobody reads the NodeConfig of its user data and no kubelet is configured.`
      : `${machine ?? 'The machine'} runs an image on which ${unit ?? 'nodeadm'} is missing or masked; nobody reads the NodeConfig and the kubelet is never configured.`,
  remedy: ({ unit }) => [
    step(
      'See whether it is an EKS image at all.',
      'cat /etc/eks/release; systemctl list-unit-files "nodeadm*" kubelet.service',
    ),
    step(
      'Masked units: unmask and enable them in the image build.',
      `sudo systemctl unmask nodeadm-config.service nodeadm-run.service && sudo systemctl enable ${unit ?? 'nodeadm-config.service'}`,
    ),
    step(
      'No units: use the EKS optimized image of the cluster’s version.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value',
    ),
  ],
  decide: step(
    'Ask systemd for the units.',
    'systemctl list-unit-files "nodeadm*"; systemctl status nodeadm-config nodeadm-run --no-pager',
  ),
  page: {
    why: 'A NodeConfig in user data does nothing by itself: two systemd units of the EKS AL2023 image read it. A plain Amazon Linux image chosen by a too wide AMI filter, or a hardening step that masks unknown units, leaves a machine that boots without any error.',
    prevent:
      'Pin the image by its SSM parameter or by owner and exact name; boot-test custom AMIs.',
    notThis:
      '“Failed to start nodeadm-config” and “Dependency failed for nodeadm-run” mean that the unit is there and failed: read its journal. Units that systemd cannot run are nodeadm-units-not-runnable.',
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/tree/HEAD/templates/al2023/runtime/rootfs/etc/systemd/system',
      'https://github.com/aws/karpenter-provider-aws/issues/7889',
    ],
  },
});

export default matched(cause, matchGiven);

type Own = ViewOf<typeof cause>;

/** Names under which Amazon publishes plain Amazon Linux, without any part of Kubernetes. */
const PLAIN_IMAGE = /^(?:al2023-ami|amzn2-ami|amzn-ami)-/;

/** A NodeConfig and nothing else, on an image that has nobody to read it. */
function matchGiven(view: Own): Match | null {
  const launch = launchOf(view);
  if (launch === null && view.sign('loaded') !== null)
    return clearUnlessSeen(view, ['notFound', 'masked', 'programMissing']);
  if (launch === null || !PLAIN_IMAGE.test(launch.imageName)) return null;
  const { nodeConfigs, namesNodeadm, bootstrapCall } = launch.given.value;
  if (namesNodeadm) return clearUnlessSeen(view, ['notFound', 'masked', 'programMissing']);
  if (nodeConfigs.length === 0 || bootstrapCall !== null) return null;
  if (!view.shows('machine-without-node')) return null;
  return found({ instance: launch.id, image: launch.imageName }, [
    view.quote(launch.image, `${launch.id} runs the image ${launch.imageName}`),
    view.quote(launch.given, `user data of ${launch.id} holds a NodeConfig only`),
  ]);
}
