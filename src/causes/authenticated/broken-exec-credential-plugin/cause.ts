import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The program that fetches the kubelet's token is missing or answers in a removed API version. */
export default defineCause({
  id: 'broken-exec-credential-plugin',
  stage: 'authenticated',
  title: 'the kubelet’s credential plugin is missing or speaks a removed API version',
  scope: 'machine',
  signs: {
    versionsDiffer: definite(
      ['kubelet', 'client-output'],
      /^(?!(?:error: |Unable to connect to the server: )).*exec plugin is configured to use API version (?<configured>\S+), plugin returned version (?<returned>[\w./]+)/,
    ),
    versionRemoved: definite(
      ['kubelet', 'client-output'],
      /^(?!(?:error: |Unable to connect to the server: )).*exec plugin: invalid apiVersion "(?<configured>[^"]+)"/,
    ),
    answerNotKnown: definite(
      ['kubelet', 'client-output'],
      /decoding stdout: no kind "ExecCredential" is registered for version "(?<returned>client\.authentication\.k8s\.io\/\w+)"/,
      { anchors: ['decoding stdout: no kind'] },
    ),
    ranWithoutCredentials: withdraws(['kubelet'], /could not get token: \w/),
    notOnPath: definite(
      ['kubelet', 'client-output'],
      /getting credentials: exec: exec: "(?<program>[^"]*aws[^"]*)": executable file not found in/,
      { anchors: ['executable file not found in'] },
    ),
    programMissing: definite(
      ['kubelet', 'client-output'],
      /exec: executable (?<program>\S*aws\S*) not found/,
      { anchors: ['exec: executable aws', 'exec: executable /'] },
    ),
    programNotRunnable: definite(
      ['kubelet'],
      /getting credentials: (?:exec: )?fork\/exec (?<program>\S*aws\S*): (?:no such file or directory|exec format error|permission denied)/,
      { anchors: ['getting credentials: exec: fork/exec', 'getting credentials: fork/exec'] },
    ),
    credentialIncomplete: definite(
      ['kubelet', 'client-output'],
      /(?<refusal>exec plugin didn't return a (?:token or cert\/key pair|status field)|exec plugin returned only certificate or key|decoding stdout: couldn't get version\/kind)/,
      {
        anchors: [
          'return a token or cert/key pair',
          'return a status field',
          'exec plugin returned only certificate or key',
          'get version/kind',
        ],
      },
    ),
    notPermitted: definite(
      ['kubelet', 'client-output'],
      /(?<refusal>plugin path \S+ is not permitted by the credential plugin allowlist|plugin \S+ not allowed: policy set to \\?"DenyAll)/,
      {
        anchors: [
          'is not permitted by the credential plugin allowlist',
          'not allowed: policy set to',
        ],
      },
    ),
    notInstalled: definite(
      ['kubelet'],
      /trying to use a client-go credential plugin that is (?<refusal>not installed)/,
    ),
    // The AWS CLI tells a command line that it does not know by a code of its own; a shell, a
    // program that is not there.
    commandNotKnown: likely(
      ['kubelet', 'client-output'],
      /getting credentials: exec: executable (?<program>\S*\baws) failed with exit code (?:2|252|126|127)\b/,
    ),
    usageShown: definite(
      ['kubelet'],
      /(?<refusal>usage: aws \[options\] <command>|aws: error: (?:argument \w+: Invalid choice|the following arguments are required)|env: '?(?:python[\d.]*|node)'?: No such file)/,
      {
        anchors: ['usage: aws [options]', 'aws: error: ', ': No such file'],
        strict: true,
      },
    ),
    // A plugin that finds no credentials ends with an error too.
    endsWithError: context(['kubelet'], /exec: executable \S+ failed with exit code \d+/, {
      anchors: ['failed with exit code'],
    }),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, configured, returned, program, refusal }) =>
    refusal !== undefined
      ? `The kubelet of ${machine ?? 'the machine'} gets no usable credential from its plugin (${refusal}); no request reaches the API server.`
      : program === undefined
        ? `The kubelet of ${machine ?? 'the machine'} is configured for ${configured ?? 'one API version'} but its credential plugin ${returned === undefined ? 'no longer speaks it' : `answers ${returned}`}; no request reaches the API server.`
        : `The kubelet of ${machine ?? 'the machine'} cannot run its credential plugin ${program}; no request reaches the API server.`,
  remedy: ({ program }) => [
    step(
      'Set the plugin’s apiVersion in the kubeconfig to v1beta1, then restart the kubelet.',
      "sudo sed -i 's#client.authentication.k8s.io/v1alpha1#client.authentication.k8s.io/v1beta1#' /var/lib/kubelet/kubeconfig && sudo systemctl restart kubelet",
    ),
    {
      text: sentence`Install a current AWS CLI or aws-iam-authenticator where the kubelet’s unit finds it${phrase` (${program})`}.`,
      command: 'aws --version; systemctl show kubelet -p Environment',
    },
  ],
  decide: step(
    'Run the plugin as the kubelet does and compare the apiVersion it prints with the kubeconfig’s.',
    "sudo grep -A12 'exec:' /var/lib/kubelet/kubeconfig",
  ),
  page: {
    why: 'The kubelet asks a program for a token. Kubernetes 1.24 removed client.authentication.k8s.io/v1alpha1, so a kubeconfig or plugin of an older machine image no longer agrees with a newer kubelet. A plugin that is not on the unit’s PATH, or built for another architecture, ends the same way.',
    prevent:
      'Build machine images with the AWS CLI of the same release as the kubelet, and let nodeadm or bootstrap.sh write the kubeconfig.',
    notThis:
      'Nothing reaches the API server, so the authenticator log is silent. A plugin that runs but finds no credentials is no-aws-credentials; a token that the server refuses is one of the 401 causes.',
    refs: [
      'https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-1.24.md',
      'https://github.com/awslabs/amazon-eks-ami/blob/HEAD/nodeadm/internal/kubelet/kubeconfig.template.yaml',
    ],
  },
});
