import {
  cannotSay,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** kiam's server shows a certificate that lacks the name by which its agent or probe calls it. */
const cause = defineCause({
  id: 'kiam-tls-hostname-mismatch',
  stage: 'credentialed',
  title: 'kiam’s server certificate lacks the host name that the agent uses',
  scope: 'cluster',
  signs: {
    otherNames: definite(
      ['kiam-agent', 'kiam-server', 'client-output', 'event'],
      /authentication handshake failed: .{0,60}x509: certificate is valid for (?<names>[^"]{0,200}?kiam[^"]{0,200}|localhost[^"]{0,200}), not (?<server>[\w.:-]+)|kiam.*x509: certificate is valid for (?<names2>[^"]{3,300}), not (?<server2>[\w.:-]+)/,
    ),
    noConnection: likely(
      ['kiam-agent', 'event', 'client-output'],
      /(?:error finding role for pod|error warming credentials|error creating server gateway|error checking health|error processing request).*there is no connection available/,
    ),
    namesShown: context(
      ['client-output', 'unknown', 'object'],
      /(?<names>DNS:[\w.*:-]*kiam-server[\w.*:-]*(?:, ?(?:DNS|IP Address):[\w.*:-]+){0,40})/,
      { anchors: ['kiam-server'] },
    ),
    serverGiven: context(
      ['client-output', 'unknown', 'object', 'terraform'],
      /--server-address=(?<server>[\w.-]*kiam[\w.-]*)(?::\d{1,5})?/,
      { anchors: ['--server-address='] },
    ),
    givenUp: context(
      ['kiam-agent'],
      /error creating server gateway: error dialing grpc server: context deadline exceeded/,
    ),
    agentReady: context(
      ['client-output', 'pod-status', 'unknown'],
      /\bkiam-agent-[a-z0-9]{5}\s{1,20}1\/1\s{1,20}Running\b/,
      { isBackground: true },
    ),
    served: withdraws(
      ['kiam-agent'],
      /"msg":\s*"processed request".*"status":\s*200|processed request.*status=200/,
    ),
  },
  needs: [],
  symptoms: ['pod-without-identity'],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'shallow-kiam-readiness',
    'kiam-agent-undoes-redirect',
    'kiam-server-cannot-assume-roles',
  ],
  summary: ({ names, names2, server, server2 }) =>
    (names ?? names2) === undefined
      ? 'kiam’s agent resolves its server and gets no TLS connection to it, as when the server’s certificate lacks the name that the agent uses, so pods get no credentials.'
      : `kiam’s server shows a certificate for ${names ?? names2 ?? ''} and not for ${server ?? server2 ?? 'the name the agent uses'}, so the agent does not connect and pods get no credentials.`,
  remedy: ({ server, server2 }) => [
    step(
      'Issue the server’s certificate with every name that agents and probes use, the port included where the message has one.',
      `kubectl -n kube-system get secret kiam-server-tls -o jsonpath='{.data.server\\.pem}' | base64 -d | openssl x509 -noout -ext subjectAltName`,
    ),
    step(
      `Or let the agent use a name that is in it: --server-address and the probes’ arguments${(server ?? server2) === undefined ? '' : ` (now ${server ?? server2 ?? ''})`}.`,
      'kubectl -n kube-system get daemonset -l app=kiam -o yaml | grep -n -A2 server-address',
    ),
    step(
      'kiam is no longer maintained; service account roles or Pod Identity need none of this.',
      'aws eks list-pod-identity-associations --cluster-name <cluster>',
    ),
  ],
  decide: step(
    'Read the server’s log: an agent that refuses its certificate leaves “tls: bad certificate” there.',
    'kubectl -n kube-system logs -l app=kiam,component=server --prefix --tail=200',
  ),
  page: {
    why: 'Agent and server know each other by certificates. The server’s must hold exactly the host that the agent dials, kiam-server as a rule, and localhost for the probe; some releases of gRPC compare the name with its port. Otherwise each handshake fails, and the agent only says that there is no connection.',
    prevent:
      'Generate certificates from one list of names (kiam’s docs have it), and try the health command after each renewal.',
    notThis:
      'A certificate that has expired, or a server that STS refuses, is kiam-server-cannot-assume-roles. Pods that the server does not know yet are kiam-pod-not-yet-known. “there is no address available” means that the name does not resolve. A time-out or a server that is down is shallow-kiam-readiness.',
    alsoKnownAs: [
      'rpc error: code = Unavailable desc = there is no connection available',
      'authentication handshake failed: x509: certificate is valid for kiam-server, not localhost:443',
    ],
    refs: [
      'https://github.com/uswitch/kiam/issues/348',
      'https://github.com/uswitch/kiam/issues/40',
      'https://github.com/uswitch/kiam/blob/HEAD/docs/TLS.md',
    ],
  },
});

const UNREAD = cannotSay({
  reason: 'not-collected',
  detail: 'whether the server refuses the agent over its certificate',
  collect: cause.decide.command,
});

type Own = ViewOf<typeof cause>;

/** A connection may lack for any reason; that the agent is Ready without one is what is wrong then. */
export default matched(cause, (view) => {
  const isReady = view.anySign('agentReady') || view.clusterSign('agentReady') !== null;
  const isUnread = isReady && view.anySign('noConnection') && !view.anySign('otherNames');
  return matchNames(view) ?? (isUnread ? UNREAD : null);
});

/** The certificate as openssl prints it, beside the address that the agent is given. */
function matchNames(view: Own): Match | null {
  const [shown, given] = [view.sign('namesShown'), view.sign('serverGiven')];
  const gaveUp = view.sign('givenUp');
  if (shown === null || given === null || gaveUp === null) return null;
  const { names = '' } = shown.last.captures;
  const { server = '' } = given.last.captures;
  const hosts = [...names.matchAll(/DNS:([\w.*-]+)/g)].map(([, host = '']) => host.toLowerCase());
  const isNamed = hosts.includes(server.toLowerCase()) || hosts.some((host) => host.includes('*'));
  if (isNamed) return null;
  return found({ names, server }, [gaveUp.last, shown.last, given.last], 'likely');
}
