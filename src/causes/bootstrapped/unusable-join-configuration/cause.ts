import type { JoinConfiguration } from '../../../evidence/kube/admission.ts';
import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

/** The document that tells kubeadm how to join is empty where it matters, or is not YAML. */
const cause = defineCause({
  id: 'unusable-join-configuration',
  stage: 'bootstrapped',
  title: 'the kubeadm JoinConfiguration is empty or not valid',
  scope: 'machine',
  signs: {
    noDiscovery: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /(?<reason>discovery: Invalid value: .{0,40}bootstrapToken or file must be set)/,
    ),
    fieldRequired: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /(?<reason>discovery\.(?:bootstrapToken\.(?:token|apiServerEndpoint)|tlsBootstrapToken): (?:Invalid value: ""|Required value).{0,120})/,
    ),
    oldVersion: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /your configuration file uses (?<reason>an old API spec: "?kubeadm\.k8s\.io\/\w+"?) \(kind: "?JoinConfiguration/,
      { anchors: ['your configuration file uses an old API spec'] },
    ),
    unknownVersion: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /(?<reason>no kind "JoinConfiguration" is registered for version "kubeadm\.k8s\.io\/\w+")/,
    ),
    kindMissing: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /invalid configuration for GroupVersionKind .{0,80}: (?<reason>kind and apiVersion is mandatory information)/,
      { anchors: ['kind and apiVersion is mandatory information'] },
    ),
    notYaml: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /(?:kubeadm|JoinConfiguration|error execution phase|unable to load config).*(?<reason>(?:error converting YAML to JSON|error unmarshal\w+ (?:configuration|JSON)).{0,160})/,
      {
        anchors: [
          'error converting YAML to JSON',
          'error unmarshaling configuration',
          'error unmarshaling JSON',
        ],
      },
    ),
    documentRefused: definite(
      ['kubeadm', 'cloud-init', 'console'],
      /(?<reason>the TLS bootstrap kubeconfig is malformed|could not apply patches to the KubeletConfiguration|using token-based discovery without caCertHashes can be unsafe|the bootstrap token is invalid|discovery\.bootstrapToken: Required value|no JoinConfiguration found in the supplied config|kind "JoinConfiguration" is specified twice in YAML file|could(?:n't| not) find authentication credentials for the TLS bootstrap process)/,
      {
        anchors: [
          'the TLS bootstrap kubeconfig is malformed',
          'could not apply patches to the KubeletConfiguration',
          'using token-based discovery without caCertHashes',
          'the bootstrap token is invalid',
          'discovery.bootstrapToken: Required value',
          'no JoinConfiguration found in the supplied config',
          'is specified twice in YAML file',
          'find authentication credentials for the TLS bootstrap process',
        ],
      },
    ),
    // kubeadm init says the same of its own document.
    argumentsRefused: likely(
      ['kubeadm', 'cloud-init', 'console'],
      /(?<reason>can not mix '--config' with arguments|nodeRegistration\.name: Required value)/,
      {
        anchors: ["can not mix '--config' with arguments", 'nodeRegistration.name: Required value'],
      },
    ),
    noBootstrapClient: context(
      ['kubeadm', 'cloud-init', 'console'],
      /could not create client from bootstrap kubeconfig/,
    ),
    deepFirstKey: context(
      ['user-data', 'cloud-init', 'kubeadm'],
      /^\s{7,}apiVersion: kubeadm\.k8s\.io\//,
    ),
    siblings: context(
      ['user-data', 'cloud-init', 'kubeadm'],
      /^\s{0,6}(?:kind: JoinConfiguration|caCertPath:|nodeRegistration:)/,
    ),
    emptyToken: context(['user-data', 'cloud-init'], /tlsBootstrapToken: ""\s*$/),
  },
  needs: ['kube/JoinConfiguration'],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'kubelet-without-kubeconfig', 'kubeadm-preflight-failed'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  summary: ({ machine, reason }) =>
    `The JoinConfiguration given to ${machine ?? 'the machine'} cannot be used (${reason ?? 'its discovery names no endpoint, token or file'}), so kubeadm does not know what to join.`,
  remedy: () => [
    step(
      'Check the document that was rendered into the user data.',
      'sudo kubeadm config validate --config /run/kubeadm/kubeadm-join-config.yaml',
    ),
    step(
      'Correct or upgrade what renders it (bootstrap provider, template), then recreate the machines.',
      'kubectl get kubeadmconfig -A -o yaml',
    ),
  ],
  decide: step(
    'Look for discovery with endpoint, token and CA hash.',
    'sudo grep -n -A12 "kind: JoinConfiguration" /run/kubeadm/kubeadm-join-config.yaml /var/lib/cloud/instance/user-data.txt',
  ),
  page: {
    why: 'Cluster API and own templates render a JoinConfiguration into user data. When it is rendered before the control plane has an endpoint and token, its discovery stays empty; a first line that is indented deeper than the rest is not YAML.',
    prevent: 'Validate the rendered document before it becomes user data.',
    notThis:
      'A complete document with a token that has run out is expired-bootstrap-token; with a wrong hash ca-pin-mismatch.',
    alsoKnownAs: ['discovery: Invalid value: "": bootstrapToken or file must be set'],
    refs: [
      'https://github.com/kubernetes-sigs/cluster-api-provider-aws/issues/711',
      'https://github.com/kubernetes-sigs/cluster-api-provider-aws/pull/634',
    ],
  },
});

export default matched(cause, matchDocument);

type Own = ViewOf<typeof cause>;

function matchDocument(view: Own): Match | null {
  const empty = view.list('kube/JoinConfiguration').find(({ value }) => isWithoutDiscovery(value));
  if (empty === undefined) return matchIndentation(view);
  return found({}, [
    view.quote(empty, 'JoinConfiguration discovery without bootstrapToken and file'),
  ]);
}

/** A document without the key at all may be an excerpt; one whose discovery is empty is not. */
function isWithoutDiscovery({ discovery }: JoinConfiguration): boolean {
  if (!discovery) return false;
  return discovery.bootstrapToken === null && discovery.file === null;
}

/** A first key that stands deeper than its siblings ends the document before it begins. */
function matchIndentation(view: Own): Match | null {
  const first = view.sign('deepFirstKey')?.first;
  const sibling = view.sign('siblings')?.first;
  if (first === undefined || sibling === undefined) return null;
  const lines = sibling.moment.at.line - first.moment.at.line;
  if (sibling.moment.at.document !== first.moment.at.document || lines < 1 || lines > 3)
    return null;
  const reason = 'its first line is indented deeper than the rest, which is not YAML';
  return found({ reason }, [first, sibling], 'likely');
}
