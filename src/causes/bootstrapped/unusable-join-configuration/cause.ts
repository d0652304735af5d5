import type { JoinConfiguration } from '../../../evidence/kube/admission.ts';
import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** The document that tells kubeadm how to join is empty where it matters, or is not YAML. */
export default defineCause({
  id: 'unusable-join-configuration',
  stage: 'bootstrapped',
  title: 'the kubeadm JoinConfiguration is empty or not valid',
  scope: 'machine',
  signs: {
    noDiscovery: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['bootstrapToken or file must be set'],
      pattern: /(?<reason>discovery: Invalid value: .{0,40}bootstrapToken or file must be set)/,
      weight: 'definite',
    },
    fieldRequired: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['discovery.bootstrapToken', 'discovery.tlsBootstrapToken'],
      pattern:
        /(?<reason>discovery\.(?:bootstrapToken\.(?:token|apiServerEndpoint)|tlsBootstrapToken): (?:Invalid value: ""|Required value).{0,120})/,
      weight: 'definite',
    },
    oldVersion: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['your configuration file uses an old API spec'],
      pattern:
        /your configuration file uses (?<reason>an old API spec: "?kubeadm\.k8s\.io\/\w+"?) \(kind: "?JoinConfiguration/,
      weight: 'definite',
    },
    unknownVersion: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['is registered for version'],
      pattern:
        /(?<reason>no kind "JoinConfiguration" is registered for version "kubeadm\.k8s\.io\/\w+")/,
      weight: 'definite',
    },
    kindMissing: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: ['kind and apiVersion is mandatory information'],
      pattern:
        /invalid configuration for GroupVersionKind .{0,80}: (?<reason>kind and apiVersion is mandatory information)/,
      weight: 'definite',
    },
    notYaml: {
      in: ['kubeadm', 'cloud-init', 'console'],
      anchors: [
        'error converting YAML to JSON',
        'error unmarshaling configuration',
        'error unmarshaling JSON',
      ],
      pattern:
        /(?:kubeadm|JoinConfiguration|error execution phase|unable to load config).*(?<reason>(?:error converting YAML to JSON|error unmarshal\w+ (?:configuration|JSON)).{0,160})/,
      weight: 'definite',
    },
    deepFirstKey: {
      in: ['user-data', 'cloud-init', 'kubeadm'],
      anchors: ['apiVersion: kubeadm.k8s.io/'],
      pattern: /^\s{7,}apiVersion: kubeadm\.k8s\.io\//,
      weight: 'context',
    },
    siblings: {
      in: ['user-data', 'cloud-init', 'kubeadm'],
      anchors: ['kind: JoinConfiguration', 'caCertPath:', 'nodeRegistration:'],
      pattern: /^\s{0,6}(?:kind: JoinConfiguration|caCertPath:|nodeRegistration:)/,
      weight: 'context',
    },
    emptyToken: {
      in: ['user-data', 'cloud-init'],
      anchors: ['tlsBootstrapToken'],
      pattern: /tlsBootstrapToken: ""\s*$/,
      weight: 'context',
    },
  },
  needs: ['kube/JoinConfiguration'],
  symptoms: ['user-data-script-failed'],
  explains: ['failed-user-script', 'kubelet-without-kubeconfig', 'kubeadm-preflight-failed'],
  withdrawnBy: ['joined', 'node-registered', 'node-ready'],
  match: (view) => matchDocument(view),
  summary: ({ machine, reason }) =>
    `The JoinConfiguration given to ${machine ?? 'the machine'} cannot be used (${reason ?? 'its discovery names no endpoint, token or file'}), so kubeadm does not know what to join.`,
  remedy: () => [
    {
      text: 'Check the document that was rendered into the user data.',
      command: 'sudo kubeadm config validate --config /run/kubeadm/kubeadm-join-config.yaml',
    },
    {
      text: 'Correct or upgrade what renders it (bootstrap provider, template), then recreate the machines.',
      command: 'kubectl get kubeadmconfig -A -o yaml',
    },
  ],
  decide: {
    text: 'Look for discovery with endpoint, token and CA hash.',
    command:
      'sudo grep -n -A12 "kind: JoinConfiguration" /run/kubeadm/kubeadm-join-config.yaml /var/lib/cloud/instance/user-data.txt',
  },
  page: {
    why: 'Cluster API and own templates render a JoinConfiguration into user data. When it is rendered before the control plane has an endpoint and token, its discovery stays empty; a first line that is indented deeper than the rest is no YAML.',
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

type Signs =
  | 'noDiscovery'
  | 'fieldRequired'
  | 'notYaml'
  | 'emptyToken'
  | 'deepFirstKey'
  | 'siblings';

function matchDocument(view: View<'kube/JoinConfiguration', Signs>): Match | null {
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
function matchIndentation(view: View<'kube/JoinConfiguration', Signs>): Match | null {
  const first = view.sign('deepFirstKey')?.first;
  const sibling = view.sign('siblings')?.first;
  if (first === undefined || sibling === undefined) return null;
  const lines = sibling.moment.at.line - first.moment.at.line;
  if (sibling.moment.at.document !== first.moment.at.document || lines < 1 || lines > 3)
    return null;
  const reason = 'its first line is indented deeper than the rest, which is no YAML';
  return found({ reason }, [first, sibling], 'likely');
}
