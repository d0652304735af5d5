import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The image was built for other processors or another system than the machine's. */
export default defineCause({
  id: 'image-has-no-such-platform',
  stage: 'bootstrapped',
  title: 'an image has no variant for the machine’s architecture',
  scope: 'machine',
  signs: {
    pullFailed: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output'],
      /(?:image "(?<image>[^"\s]{1,250})".{0,1000}?)?(?:no match for platform in manifest|no matching manifest for (?<platform>(?:linux|windows)\/[\w/]{2,20})|no image found in manifest list for architecture "?(?<architecture>\w{2,20})|no child with platform (?<platform2>(?:linux|windows)\/[\w/]{2,20}))/i,
      {
        anchors: [
          'no match for platform in manifest',
          'no matching manifest for ',
          'no image found in manifest list',
          'no child with platform',
        ],
      },
    ),
    execFormat: likely(
      ['pod-app', 'event', 'kubelet', 'containerd', 'pod-status', 'client-output'],
      /(?:exec user process caused:? "?|(?<!fork\/)exec "?(?<program>\/?[^\s":]{1,200})"?: |exec: "(?<program2>[^"]{1,200})": )exec format error/,
    ),
    windowsVersion: definite(
      ['event', 'kubelet', 'containerd', 'pod-status', 'client-output'],
      /container operating system does not match the host operating system|a Windows version \d[\d.]{3,20}-based image is incompatible with a \d/i,
      { anchors: ['operating system does not match the host', 'image is incompatible with a '] },
    ),
    pulled: withdraws(['event', 'kubelet'], /Successfully pulled image "(?<image>[^"\s]{1,250})"/),
  },
  per: ['image'],
  needs: [],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: ['cni-image-pull-failed', 'pause-image-pull-failed', 'cni-configuration-missing'],
  summary: ({ image, platform, platform2, architecture, program, program2 }) =>
    `The image ${image ?? program ?? program2 ?? 'of a pod'} has no variant for ${platform ?? platform2 ?? architecture ?? 'the architecture of this machine'}, so its pods do not start here.`,
  remedy: ({ image }) => [
    step(
      'See for which platforms the image was built, and which the nodes have.',
      `docker buildx imagetools inspect ${image ?? '<image>'}; kubectl get nodes -L kubernetes.io/arch,kubernetes.io/os,node.kubernetes.io/windows-build`,
    ),
    step(
      'Build it for both, under one tag.',
      `docker buildx build --platform linux/amd64,linux/arm64 --tag ${image ?? '<image>'} --push .`,
    ),
    step(
      'Until then keep the pods on nodes that it fits, and the pool to that architecture.',
      'kubectl patch deployment <deployment> -p \'{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/arch":"amd64"}}}}}\'',
    ),
  ],
  decide: step(
    'Read what the failed pulls say, and compare with the nodes’ architectures.',
    'kubectl get events -A --field-selector reason=Failed; kubectl get nodes -L kubernetes.io/arch,kubernetes.io/os',
  ),
  page: {
    why: 'Graviton and Windows nodes come into a cluster, often chosen by Karpenter for their price, and an image was only built for linux/amd64. DaemonSets run on every node and are met first.',
    prevent:
      'Build images for both architectures, or let the node pool require kubernetes.io/arch.',
    notThis:
      'A tag that does not exist is “not found” without a platform. A node image of the wrong architecture is unsupported-instance-type-or-architecture; a credential plugin for other processors is broken-exec-credential-plugin. A script without its first line gives an exec format error too.',
    alsoKnownAs: [
      'no match for platform in manifest: not found',
      'no matching manifest for linux/arm64/v8 in the manifest list entries',
      'exec /app: exec format error',
    ],
    refs: [
      'https://karpenter.sh/docs/troubleshooting/',
      'https://github.com/containerd/containerd/blob/HEAD/core/images/image.go',
      'https://github.com/moby/moby/blob/HEAD/daemon/internal/distribution/pull_v2.go',
    ],
  },
});
