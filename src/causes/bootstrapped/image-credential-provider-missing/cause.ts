import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The kubelet's plugin for image credentials is not where it is configured. */
export default defineCause({
  id: 'image-credential-provider-missing',
  stage: 'bootstrapped',
  title: 'the image credential provider is missing or misconfigured',
  scope: 'machine',
  signs: {
    binaryNotFound: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /image credential provider binary was not found on path:? ?(?<path>\/[^\s:"]*[^\s:".])?/,
    ),
    pluginsRefused: definite(
      ['kubelet'],
      /[Ff]ailed to (?:register|load) CRI auth plugins(?:"? err="|: )?(?<reason>[^"]{0,160})/,
    ),
    startRefused: definite(
      ['kubelet'],
      /(?<reason>plugin binary (?:directory|executable) \S+ did not exist|error inspecting binary executable \S+: [^"]{0,80}|(?:failed to validate|unable to read external registry) credential provider config[^"]{0,120}|failed to decode CredentialProviderConfig[^"]{0,80}|no kind \\?"CredentialProviderConfig\\?" is registered|unable to access path [^\s:]*credential[^\s:]*|duplicate provider name \S+ found in configuration file|failed to run Kubelet: (?:credential provider config path is empty|no configuration files found in directory))/,
      {
        anchors: [
          'plugin binary directory',
          'plugin binary executable',
          'error inspecting binary executable',
          'failed to validate credential provider config',
          'unable to read external registry credential provider',
          'failed to decode CredentialProviderConfig',
          'CredentialProviderConfig',
          'unable to access path',
          'duplicate provider name',
          'credential provider config path is empty',
          'no configuration files found in directory',
        ],
      },
    ),
    // The kubelet of a running node asks a program that is gone or speaks another version.
    answerUnusable: definite(
      ['kubelet'],
      /(?<answer>error execing credential provider plugin (?<plugin>[\w.-]+) for image .{0,200}: fork\/exec \S+: (?:no such file or directory|permission denied|exec format error)|apiVersion from credential plugin response did not match expected apiVersion|error decoding credential provider plugin response from stdout)/,
      {
        anchors: [
          'error execing credential provider plugin',
          'apiVersion from credential plugin response did not match',
          'error decoding credential provider plugin response',
        ],
      },
    ),
    // Helpers of Docker speak another protocol than the kubelet's providers.
    helperNamed: likely(
      ['object', 'host-file', 'client-output', 'unknown'],
      /^\s{0,20}(?:- )?"?name"?: {0,4}"?(?<helper>docker-credential-[\w-]{2,40})"?,?\s*$/,
      { anchors: ['docker-credential-'] },
    ),
    toldHelper: likely(
      ['client-output', 'unknown'],
      /\b(?<helper>docker-credential-[\w-]{2,40})\b.{0,80}(?:\bnot|n't|\bnever)\b.{0,30}\b(?:invoked|called|used|consulted|executed|run)\b.{0,40}\b(?:containerd|kubelet)\b|\b(?:containerd|kubelet)\b.{0,40}(?:\bnot|n't|\bnever)\b.{0,30}\b(?:invoke|call|use|consult|execute|run)s?\b.{0,40}\b(?<helper2>docker-credential-[\w-]{2,40})/,
      { isTold: true, anchors: ['docker-credential-'] },
    ),
    answersWithError: context(
      ['kubelet'],
      /error execing credential provider plugin \S+ for image .{0,200}: exit status \d+/,
      { anchors: ['error execing credential provider plugin'] },
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['selinux-or-hardening-denial', 'no-ecr-pull-credentials'],
  summary: ({ machine, path, reason, answer, helper, helper2 }) =>
    (helper ?? helper2) !== undefined
      ? `${helper ?? helper2 ?? ''} is a helper for Docker and no credential provider of the kubelet, which pulls from ECR without credentials.`
      : answer !== undefined
        ? `The kubelet of ${machine ?? 'the machine'} gets no image credentials from its provider (${answer}).`
        : `The image credential provider of ${machine ?? 'the machine'} cannot be used (${path ?? (reason === undefined || reason === '' ? 'missing' : reason.trim())}), so the kubelet is not started or stops at once.`,
  remedy: () => [
    step(
      'See what is installed and what the kubelet is given.',
      'ls -l /etc/eks/image-credential-provider/; systemctl cat kubelet | grep -o "image-credential-provider[^ ]*"',
    ),
    step(
      'Install ecr-credential-provider (executable, same folder) and point both flags to it, in the image build.',
      '--image-credential-provider-bin-dir=/etc/eks/image-credential-provider --image-credential-provider-config=/etc/eks/image-credential-provider/config.json',
    ),
  ],
  decide: step(
    'See whether the provider is where the kubelet looks for it.',
    'ls -l /etc/eks/image-credential-provider/; journalctl -u kubelet --no-pager | grep -i "auth plugins" | tail -n 3',
  ),
  page: {
    why: 'Since Kubernetes 1.26 the kubelet asks a program for ECR credentials. EKS images ship it; custom AMIs, hybrid nodes and kOps hooks must put it where both flags say, or the kubelet refuses to start.',
    prevent: 'Install the provider in the same step as the kubelet, in the version of its release.',
    notThis:
      'A provider that runs and is refused by ECR shows as image pull errors on a registered node (no-ecr-pull-credentials, node-role-without-ecr-access), not at the kubelet’s start.',
    alsoKnownAs: ['Failed to register CRI auth plugins'],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/image-credential-provider.go',
      'https://kubernetes.io/docs/tasks/administer-cluster/kubelet-credential-provider/',
    ],
  },
});
