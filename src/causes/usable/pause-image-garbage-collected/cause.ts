import { defineCause, found, matched, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { context, likely } from '../../../diagnosis/sign.ts';

/** The pause image was removed from a node that worked, and containerd cannot pull it again. */
const cause = defineCause({
  id: 'pause-image-garbage-collected',
  stage: 'usable',
  title: 'the pause image was garbage-collected and cannot be pulled again',
  scope: 'machine',
  signs: {
    pullRefused: context(
      ['event', 'kubelet', 'containerd', 'pod-status'],
      /failed (?:to get sandbox|pulling) image "(?<image>[^"\s]+pause[^"\s]*)".*(?<reason>401 Unauthorized|403 Forbidden|no basic auth credentials|pull access denied)/,
    ),
    // EKS bakes it into its images under this name, which no registry serves.
    bakedImageGone: likely(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output'],
      /failed to get sandbox image "(?<image>localhost\/kubernetes\/pause[^"\s]{0,40})"/,
    ),
    removed: context(
      ['kubelet', 'containerd', 'journal'],
      // The image is the only one of a third of a megabyte.
      /(?:Removing image .*|ImageDelete.*)\bpause\b|Removing image to free bytes.*\bsize=[23]\d{5}(?!\d)/,
      { anchors: ['Removing image ', 'ImageDelete'] },
    ),
    ranBefore: context(
      ['event', 'node-status', 'kubelet'],
      /condition Ready=True|status is now: NodeReady|Started container|just became ready/,
    ),
    toldBefore: context(
      ['client-output', 'unknown'],
      /\b[Nn]odes?\b.{0,40}\b(?:\d{1,3} (?:days|weeks|months) old|(?:up|running) for (?:\d{1,3} )?(?:days|weeks|months)|(?:was|were|worked|ran) (?:all )?(?:fine|well|good) (?:until|till|for (?:\d{1,3} )?(?:days|weeks|months)))\b/,
      {
        isTold: true,
        anchors: [
          ' days old',
          ' weeks old',
          ' months old',
          ' until ',
          ' till ',
          'running for ',
          ' up for ',
          ' fine for ',
          ' well for ',
          ' good for ',
        ],
      },
    ),
    bootPullFailed: context(
      ['journal', 'cloud-init', 'console'],
      /sandbox-image\.service: (?:Main process exited|Failed)|Failed to start pull sandbox image/,
    ),
  },
  needs: ['kube/Node'],
  symptoms: ['sandbox-not-created'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['pause-image-pull-failed', 'no-ecr-pull-credentials', 'ecr-api-endpoint-missing'],
  summary: ({ node, instance, image }) =>
    sentence`The pause image ${image} is gone from ${node ?? instance ?? 'a node that worked before'} and containerd has no credentials to pull it again, so no new pod starts there while old ones run.`,
  remedy: ({ image }) => [
    step(
      'Fetch the image again on the node, with credentials.',
      `sudo ctr -n k8s.io images pull --user "AWS:$(aws ecr get-login-password)" ${image ?? '<pause-image>'}`,
    ),
    step('On AL2, let the unit of the AMI do it.', 'sudo systemctl restart sandbox-image'),
    step(
      'Then replace nodes by an AMI release that pins the pause image.',
      'aws eks update-nodegroup-version --cluster-name <cluster> --nodegroup-name <node-group>',
    ),
  ],
  decide: step('See whether the node still has the image.', 'sudo crictl images | grep pause'),
  page: {
    why: 'The kubelet’s image garbage collection removes images that no container names, and some AMI releases left the pause image unpinned after --pod-infra-container-image went away. containerd pulls it without credentials, which ECR refuses.',
    prevent: 'Use AMI releases that pin the pause image, and root volumes that do not fill up.',
    notThis:
      'On a node that never ran a pod it is pause-image-pull-failed. A time-out to the registry is no-nat-or-vpc-endpoints.',
    alsoKnownAs: ['failed to get sandbox image 401 Unauthorized'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/1597',
      'https://github.com/awslabs/amazon-eks-ami/issues/1425',
      'https://github.com/awslabs/amazon-eks-ami/issues/2061',
    ],
  },
});

export default matched(cause, (view) => {
  const refused = view.sign('pullRefused');
  const before = view.sign('removed') ?? view.sign('ranBefore') ?? view.sign('toldBefore');
  if (refused === null) return null;
  // A boot that cannot fetch the image itself starts again; what ran before it says nothing.
  if (view.sign('removed') === null && view.sign('bootPullFailed') !== null) return null;
  if (before === null) {
    // A node without the pause image cannot run its CNI, so a Ready one had it.
    const [first, ...nodes] = view.list('kube/Node');
    if (first === undefined || [first, ...nodes].some((fact) => fact.value.ready !== true))
      return null;
    const quote = view.quote(first, `Node ${first.value.name} is Ready`);
    return found(refused.last.captures, [refused.first, quote], 'likely');
  }
  return found(
    refused.last.captures,
    [refused.first, before.first],
    view.sign('removed') === null ? 'likely' : 'definite',
  );
});
