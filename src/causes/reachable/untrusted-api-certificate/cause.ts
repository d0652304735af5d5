import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import { clusterGiven } from '../../../evidence/user-data.ts';
import { foreseenByKubeadm } from '../../../diagnosis/foreseen-kubeadm.ts';
import { NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import type { ControlPlaneGiven } from '../../../evidence/kubeadm.ts';

const ON_NODE = ['kubelet', 'kubeadm', 'cloud-init', 'nodeup', 'bottlerocket', 'nodeadm'] as const;

/** The machine does not trust the certificate that answers as the API server. */
const cause = defineCause({
  id: 'untrusted-api-certificate',
  stage: 'reachable',
  title: 'the machine does not trust the API server’s certificate',
  scope: 'machine',
  signs: {
    registration: definite(
      ON_NODE,
      /(?:[Uu]nable to register node|[Ff]ailed to ensure lease|waiting for CSINode publishing|failed to get node config from server)(?!.*failed calling webhook).*x509: certificate signed by unknown authority/,
    ),
    ownReflector: definite(
      ON_NODE,
      /pkg\/kubelet\/\S+:\d+: [Ff]ailed to (?:list|watch) \*[\w.]+: .*Get "?https:\/\/(?<server>[\w.-]+)\S*: (?:.*)x509: certificate signed by unknown authority/,
    ),
    unknownAuthority: definite(
      ON_NODE,
      /(?:[Ff]ailed to (?:list|watch) \*(?:v\d\w*|api)\.|(?:Get|Post) "?https:\/\/(?![\w.-]+\.svc[:/])(?<server>[\w.-]+)(?::\d+)?\/apis?\b)(?!.*failed calling webhook).*?x509: certificate signed by unknown authority/,
      { strict: true, atLeast: 2, enoughOnce: 'end' },
    ),
    discovery: definite(
      ['kubeadm', 'cloud-init'],
      /(?:couldn't validate the identity of the API Server|failed to request (?:the )?cluster-info|configmaps\/(?:cluster-info|kubeadm-config)).*x509: certificate signed by unknown authority/,
    ),
    otherName: definite(
      ON_NODE,
      /(?:[Uu]nable to register node|[Ff]ailed to (?:list|watch) \*v1|[Ff]ailed to ensure lease|couldn't validate the identity|configmaps\/(?:cluster-info|kubeadm-config)).*x509: certificate is valid for (?<names>[^"]{3,200}), not (?<server>[\w.:-]+)/,
    ),
    curl: likely(
      ['host-file', 'cloud-init'],
      /eks\.amazonaws\.com.*SSL certificate problem: (?:unable to get local issuer certificate|self[- ]signed certificate)/,
    ),
  },
  needs: ['aws/cluster', 'aws/user-data'],
  symptoms: ['machine-without-node'],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: [
    'failed-user-script',
    'cluster-info-unreadable',
    'invalid-cluster-ca-file',
    'ca-pin-mismatch',
  ],
  summary: ({ server, names, machine }) =>
    names === undefined
      ? `${machine ?? 'The machine'} does not trust the certificate of ${server ?? 'the API server'}: the authority in its configuration is not the cluster’s, or a proxy answers in the middle.`
      : `The API server’s certificate is for ${names} and not for ${server ?? 'the address the machine uses'}, so the machine refuses it.`,
  remedy: ({ names, server }) =>
    names === undefined
      ? [
          step(
            'Compare the authority on the machine with the cluster’s of today.',
            'sudo openssl x509 -noout -fingerprint -sha256 -in /etc/kubernetes/pki/ca.crt; aws eks describe-cluster --name <cluster> --query cluster.certificateAuthority.data --output text | base64 -d | openssl x509 -noout -fingerprint -sha256',
          ),
          step(
            'If they are equal, see who answers; a proxy’s issuer means that the endpoint belongs into NO_PROXY.',
            `openssl s_client -connect ${server ?? '<endpoint-name>'}:443 -showcerts </dev/null 2>/dev/null | openssl x509 -noout -issuer -subject`,
          ),
          step(
            'Write endpoint and certificateAuthority together into user data, and replace the machine.',
            'aws eks describe-cluster --name <cluster> --query cluster.[endpoint,certificateAuthority.data]',
          ),
        ]
      : [
          step(
            'Add the name or address to the API server’s certificate, or let machines use one that is in it.',
            `sudo kubeadm init phase certs apiserver --apiserver-cert-extra-sans ${server ?? '<address>'}`,
          ),
        ],
  decide: step(
    'See whose certificate answers.',
    'openssl s_client -connect <endpoint-name>:443 -showcerts </dev/null 2>/dev/null | openssl x509 -noout -issuer -subject -ext subjectAltName',
  ),
  page: {
    why: 'User data carries the endpoint and the authority apart; a cluster that was made again under the same name has a new authority, and templates keep the old one. TLS-inspecting proxies show a certificate of their own. kubeadm certificates lack a load balancer’s name.',
    prevent:
      'Render endpoint and authority from the same describe-cluster answer, and exempt the endpoint from TLS inspection.',
    notThis:
      'A certificate that is not yet or no longer valid is wrong-node-clock or expired-kubelet-client-certificate. A pin that does not match is ca-pin-mismatch. A certificate of the kubelet that the API server refuses is client-certificate-of-foreign-ca. A webhook’s certificate in an error about calling a webhook is another matter.',
    alsoKnownAs: [
      'x509: certificate signed by unknown authority',
      'possibly because of "crypto/rsa: verification error"',
    ],
    refs: [
      'https://github.com/kubernetes/kubeadm/issues/2526',
      'https://github.com/kubernetes/kubernetes/issues/40067',
    ],
  },
});

const judged = matched(cause, matchAuthority);

type Own = ViewOf<typeof cause>;

/** User data of the right endpoint with another authority than the cluster's. */
function matchAuthority(view: Own): Match | null {
  const clusters = view.list('aws/cluster');
  const [cluster] = clusters;
  const userData = view.read('aws/user-data');
  if (cluster === undefined || clusters.length > 1 || userData.state !== 'seen') return null;
  const given = clusterGiven(userData.value);
  const endpoint = cluster.value.endpoint ?? null;
  const current = cluster.value.authoritySum ?? null;
  if (given === null || current === null || !/^[0-9a-f]{16}$/.test(given.authority ?? ''))
    return null;
  if (endpoint === null || given.endpoint?.toLowerCase() !== endpoint.toLowerCase()) return null;
  if (!view.shows('machine-without-node')) return null;
  if (given.authority === current) return null;
  const server = endpoint.replace(/^https:\/\//, '');
  const name = cluster.value.name ?? '';
  const text = `user data of ${view.instanceId ?? ''}: the certificate authority is not that of cluster ${name}`;
  return found({ server }, [
    view.quote(userData, text),
    view.quote(cluster, `cluster ${name} endpoint ${endpoint} has another certificateAuthority`),
  ]);
}

/** Names that kubeadm puts into the certificate beside those of the file; null where one is filled in later. */
function namesIn(given: ControlPlaneGiven): readonly string[] | null {
  const { endpoint, advertiseAddress, nodeName, certificateNames, dnsDomain } = given;
  if (certificateNames === undefined || endpoint === undefined) return null;
  const ofService = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const more = [endpoint === null ? null : hostOf(endpoint), advertiseAddress, nodeName];
  return [
    ...certificateNames,
    ...ofService,
    `kubernetes.default.svc.${dnsDomain ?? 'cluster.local'}`,
    ...more.filter((name) => typeof name === 'string'),
  ].map((name) => name.toLowerCase());
}

function hostOf(endpoint: string): string {
  return endpoint
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
}

/** An address may be the machine's own, and a short name that of its host, which no file shows. */
function mayBeOfTheMachine(
  host: string,
  { advertiseAddress, nodeName }: ControlPlaneGiven,
): boolean {
  const isAddress = /^[\d.]+$|:/.test(host);
  const own = isAddress ? advertiseAddress : nodeName;
  return (own ?? null) === null && (isAddress || !host.includes('.'));
}

function isNamed(host: string, names: readonly string[]): boolean {
  const parent = host.replace(/^[^.]*/, '*');
  return names.includes(host) || names.includes(parent);
}

export default foreseenByKubeadm(
  judged,
  (plan, { fact, own: { join }, controlPlane, shownBy }) => {
    const endpoint = join?.endpoint ?? null;
    const names = controlPlane === null ? null : namesIn(controlPlane);
    if (endpoint === null || names === null || controlPlane === null) return NOT_SHOWN;
    const host = hostOf(endpoint);
    if (isNamed(host, names)) return clear;
    if (mayBeOfTheMachine(host, controlPlane)) return NOT_SHOWN;
    return found(
      { server: endpoint, host },
      [
        plan.quote(
          fact,
          `JoinConfiguration discovery.bootstrapToken.apiServerEndpoint ${endpoint}`,
        ),
        plan.quote(shownBy, `ClusterConfiguration apiServer.certSANs lacks ${host}`),
      ],
      'likely',
    );
  },
  {
    summary: ({ server }) =>
      `Machines will join by ${server ?? 'an endpoint'}, a name that the API server’s certificate will not have, so they will not trust it.`,
    remedy: ({ host }) => [
      step(
        `Add ${host ?? 'the name'} to apiServer.certSANs of the ClusterConfiguration, or make it the controlPlaneEndpoint, before kubeadm init.`,
      ),
    ],
  },
);
