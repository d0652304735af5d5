import { defineCause, step } from '../../../diagnosis/cause.ts';
import { sentence } from '../../../diagnosis/sentence.ts';
import { clears, context, definite, likely } from '../../../diagnosis/sign.ts';

/** The image is older than the instance type and cannot say how many pods it takes. */
export default defineCause({
  id: 'instance-type-unknown-to-ami',
  stage: 'bootstrapped',
  title: 'the image does not know the instance type',
  scope: 'machine',
  signs: {
    noEntry: definite(
      ['cloud-init', 'console'],
      /No entry for (?:type )?'?(?<type>[a-z][\w-]*\.[\w-]+)?'? in \/etc\/eks\/eni-max-pods\.txt(?!.*(?:[Ww]ill attempt|calculat))/,
    ),
    toldNoEntry: likely(
      ['client-output', 'unknown', 'cloud-init'],
      /(?:\b(?:not|missing|absent|n't)\b.{0,30}\b(?:in|from)|\b(?:no|without) (?:an? )?(?:entry|line)\b.{0,60}\bin|\black(?:s|ed|ing)?\b.{0,60}) ["'`]{0,2}(?:\/etc\/eks\/)?eni-max-pods\.txt/,
      { isTold: true, anchors: ['eni-max-pods.txt'] },
    ),
    plutoNoEntry: likely(
      ['bottlerocket', 'console'],
      /Unable to find maximum number of pods supported for instance-type (?<type>[a-z][\w-]*\.[\w-]+)/,
    ),
    nodeadmFallsBack: context(
      ['nodeadm', 'cloud-init'],
      /Failed to retrieve instance info, falling back to default|cannot find the max pod for input instance type|when calculating the max pod, setting it to default/,
    ),
    bootstrapDone: clears(['cloud-init', 'console'], /\[eks-bootstrap\] INFO: complete/),
    nodeadmNoInstance: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*no instance found for type: (?<type>[a-z][\w-]*\.[\w-]+)/,
      { anchors: ['no instance found for type: '] },
    ),
  },
  needs: [],
  symptoms: ['user-data-script-failed'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  explains: ['failed-user-script', 'bottlerocket-setting-generator-failed'],
  summary: ({ machine, type }) =>
    sentence`The image of ${machine ?? 'the machine'} is older than the instance type ${type} and does not know its pod limit, so the setup stops before the kubelet is configured.`,
  remedy: ({ type }) => [
    step(
      'Use the current image of the cluster’s version.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2/recommended/image_id --query Parameter.Value',
    ),
    step(
      `Or give the pod limit in user data: interfaces * (addresses per interface - 1) + 2 of ${type ?? 'the instance type'}.`,
      `/etc/eks/bootstrap.sh <cluster> --use-max-pods false --kubelet-extra-args '--max-pods=<n>'`,
    ),
  ],
  decide: step(
    'See whether the type is in the image’s table.',
    'TYPE=$(ec2-metadata -t | cut -d" " -f2); grep -n "^$TYPE " /etc/eks/eni-max-pods.txt; cat /etc/eks/release',
  ),
  page: {
    why: 'Older Amazon Linux 2 images take the number of pods from a table inside the image and end when the type is not in it. Karpenter and mixed instance policies pick new types the day they are released.',
    prevent: 'Roll images monthly; pin instance families to what the pinned image knows.',
    notThis:
      'Newer scripts say “Will attempt to auto-discover value” and continue. nodeadm falls back to 110 pods, which starts and may overcommit addresses (max-pods-above-address-capacity). A type that the VPC CNI does not know is instance-type-unknown-to-cni.',
    alsoKnownAs: ['No entry for c6i.xlarge in /etc/eks/eni-max-pods.txt'],
    refs: ['https://karpenter.sh/docs/troubleshooting/'],
  },
});
