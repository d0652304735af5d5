import type { JoinConfiguration } from '../../../evidence/kube/admission.ts';
import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { JoinGiven } from '../../../evidence/kubeadm.ts';

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

const judged = matched(cause, matchDocument);

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

/** Versions of kubeadm's API with the releases that read them, by the history of kubeadm. */
const READ_BY: Readonly<Record<string, readonly [first: number, last: number]>> = {
  v1beta1: [13, 21],
  v1beta2: [15, 26],
  v1beta4: [31, Number.POSITIVE_INFINITY],
};

interface Fault {
  readonly field: string;
  readonly reason: string;
  readonly fix: string;
}

const DISCOVERY = 'discovery.bootstrapToken';

function fault(field: string, reason: string, fix: string): Fault {
  return { field, reason, fix };
}

function versionFault({ apiVersion }: JoinGiven, minor: number | null): Fault | null {
  const [first = 0, last = Number.POSITIVE_INFINITY] = Object.hasOwn(READ_BY, apiVersion)
    ? (READ_BY[apiVersion] ?? [])
    : [];
  if (minor === null || (minor >= first && minor <= last)) return null;
  const reason = `kubeadm 1.${minor} does not read kubeadm.k8s.io/${apiVersion}`;
  return fault(
    'apiVersion',
    reason,
    'Write it in kubeadm.k8s.io/v1beta3, or v1beta4 from 1.31 on.',
  );
}

function argumentFault({ apiVersion, hasArgumentsOfItsVersion }: JoinGiven): Fault | null {
  if (hasArgumentsOfItsVersion) return null;
  return fault(
    'nodeRegistration.kubeletExtraArgs',
    `kubeletExtraArgs has the form of another version than ${apiVersion}`,
    'Write kubeletExtraArgs as a list of name and value in v1beta4, and as a mapping before.',
  );
}

function discoveryFault(join: JoinGiven): Fault | null {
  const { hasDiscovery, hasToken, hasFile, isTokenWhole, endpoint, areHashesWhole } = join;
  if (!hasDiscovery || hasFile) return null;
  if (!hasToken)
    return fault(
      'discovery',
      'discovery has neither bootstrapToken nor file',
      'Give discovery.bootstrapToken with token, apiServerEndpoint and caCertHashes.',
    );
  if (isTokenWhole === false || isTokenWhole === null)
    return fault(
      `${DISCOVERY}.token`,
      'the token is not six letters or digits, a dot and sixteen more',
      'Give the token as `kubeadm token create` prints it.',
    );
  if (endpoint !== undefined && !/^(?:\[[\da-fA-F:.]+\]|[^:/\s]+):\d{1,5}$/.test(endpoint ?? ''))
    return fault(
      `${DISCOVERY}.apiServerEndpoint`,
      'apiServerEndpoint is not a host with a port',
      'Give apiServerEndpoint as host:6443.',
    );
  if (areHashesWhole === false || (areHashesWhole === null && !join.isUnsafe))
    return fault(
      `${DISCOVERY}.caCertHashes`,
      areHashesWhole === null ? 'caCertHashes is empty' : 'an entry of caCertHashes is not a hash',
      'Give caCertHashes as `kubeadm token create --print-join-command` prints it: sha256: and 64 digits.',
    );
  return null;
}

function isKnownWhole({
  hasDiscovery,
  hasFile,
  isTokenWhole,
  areHashesWhole,
  isUnsafe,
}: JoinGiven): boolean {
  return (
    hasDiscovery && (hasFile || (isTokenWhole === true && (isUnsafe || areHashesWhole === true)))
  );
}

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own: { join }, minor }) => {
    if (join === null) return NOT_SHOWN;
    const wrong = versionFault(join, minor) ?? argumentFault(join) ?? discoveryFault(join);
    if (wrong === null) return isKnownWhole(join) ? clear : NOT_SHOWN;
    const { field, reason, fix } = wrong;
    return found({ reason, fix }, [plan.quote(fact, `JoinConfiguration ${field}: ${reason}`)]);
  },
  {
    summary: ({ reason }) => `kubeadm will refuse this JoinConfiguration: ${reason ?? ''}.`,
    remedy: ({ fix }) => [step(fix ?? '', 'kubeadm config validate --config <file>')],
  },
);
