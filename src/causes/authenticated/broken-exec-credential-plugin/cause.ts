import { defineCause } from '../../../diagnosis/cause.ts';

/** The program that fetches the kubelet's token is missing or answers in a removed API version. */
export default defineCause({
  id: 'broken-exec-credential-plugin',
  stage: 'authenticated',
  title: 'the kubelet’s credential plugin is missing or speaks a removed API version',
  scope: 'machine',
  signs: {
    versionsDiffer: {
      in: ['kubelet', 'client-output'],
      anchors: ['exec plugin is configured to use API version'],
      pattern:
        /exec plugin is configured to use API version (?<configured>\S+), plugin returned version (?<returned>[\w./]+)/,
      weight: 'definite',
    },
    versionRemoved: {
      in: ['kubelet', 'client-output'],
      anchors: ['exec plugin: invalid apiVersion'],
      pattern: /exec plugin: invalid apiVersion "(?<configured>[^"]+)"/,
      weight: 'definite',
    },
    answerNotKnown: {
      in: ['kubelet', 'client-output'],
      anchors: ['decoding stdout: no kind'],
      pattern:
        /decoding stdout: no kind "ExecCredential" is registered for version "(?<returned>client\.authentication\.k8s\.io\/\w+)"/,
      weight: 'definite',
    },
    ranWithoutCredentials: {
      in: ['kubelet'],
      anchors: ['could not get token: '],
      pattern: /could not get token: \w/,
      weight: 'withdraws',
    },
    notOnPath: {
      in: ['kubelet', 'client-output'],
      anchors: ['executable file not found in'],
      pattern:
        /getting credentials: exec: exec: "(?<program>[^"]*aws[^"]*)": executable file not found in/,
      weight: 'definite',
    },
    programMissing: {
      in: ['kubelet', 'client-output'],
      anchors: ['exec: executable aws', 'exec: executable /'],
      pattern: /exec: executable (?<program>\S*aws\S*) not found/,
      weight: 'definite',
    },
    programNotRunnable: {
      in: ['kubelet'],
      anchors: ['getting credentials: exec: fork/exec', 'getting credentials: fork/exec'],
      pattern:
        /getting credentials: (?:exec: )?fork\/exec (?<program>\S*aws\S*): (?:no such file or directory|exec format error|permission denied)/,
      weight: 'definite',
    },
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, configured, returned, program }) =>
    program === undefined
      ? `The kubelet of ${machine ?? 'the machine'} is configured for ${configured ?? 'one API version'} but its credential plugin ${returned === undefined ? 'no longer speaks it' : `answers ${returned}`}; no request reaches the API server.`
      : `The kubelet of ${machine ?? 'the machine'} cannot run its credential plugin ${program}; no request reaches the API server.`,
  remedy: ({ program }) => [
    {
      text: 'Set the plugin’s apiVersion in the kubeconfig to v1beta1, then restart the kubelet.',
      command:
        "sudo sed -i 's#client.authentication.k8s.io/v1alpha1#client.authentication.k8s.io/v1beta1#' /var/lib/kubelet/kubeconfig && sudo systemctl restart kubelet",
    },
    {
      text: `Install a current AWS CLI or aws-iam-authenticator where the kubelet’s unit finds it${program === undefined ? '' : ` (${program})`}.`,
      command: 'aws --version; systemctl show kubelet -p Environment',
    },
  ],
  decide: {
    text: 'Run the plugin as the kubelet does and compare the apiVersion it prints with the kubeconfig’s.',
    command: "sudo grep -A12 'exec:' /var/lib/kubelet/kubeconfig",
  },
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
