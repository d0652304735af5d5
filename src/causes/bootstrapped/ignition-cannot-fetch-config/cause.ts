import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** An OpenShift machine loops in its initramfs because the machine-config server does not answer. */
const cause = defineCause({
  id: 'ignition-cannot-fetch-config',
  stage: 'bootstrapped',
  title: 'Ignition cannot fetch the machine’s configuration from port 22623',
  scope: 'machine',
  signs: {
    // Attempts that are answered with an error are counted in the same way.
    manyAttempts: context(
      ['ignition', 'console', 'journal'],
      /GET (?<url>https?:\/\/[^\s"]+:\d+\/config\/[\w-]+(?:\?[^\s"]{1,80})?): attempt #(?<attempt>1[2-9]|[2-9]\d|\d{3,})/,
    ),
    noAnswer: likely(
      ['ignition', 'console', 'journal'],
      /GET error: Get "?(?<url>https?:\/\/[^\s"]+:\d+\/config\/[\w-]+(?:\?[^\s"]{1,80})?)"?: (?!.*\[::1\]:53).*(?<reason>i\/o timeout|no such host|connection refused|timeout awaiting response headers|no route to host|EOF|Client\.Timeout)/,
      { anchors: ['/config/', ': Get '], atLeast: 3, enoughOnce: 'alone' },
    ),
    balancerAnswers: likely(
      ['ignition', 'console', 'journal'],
      /GET result: (?<reason>Service Unavailable|Bad Gateway|Gateway Time-?out)/i,
      { anchors: ['GET result: '], atLeast: 3, enoughOnce: 'alone' },
    ),
    balancerAnswersNow: context(
      ['ignition', 'console', 'journal'],
      /GET result: (?<reason>Service Unavailable|Bad Gateway|Gateway Time-?out)/i,
      { anchors: ['GET result: '] },
    ),
    unansweredNow: context(
      ['ignition', 'console', 'journal'],
      /GET error: Get "?(?<url>https?:\/\/[^\s"]+:\d+\/config\/[\w-]+(?:\?[^\s"]{1,80})?)"?: .*(?<reason>i\/o timeout|no such host|connection refused|timeout awaiting response headers|no route to host|EOF|Client\.Timeout)/,
      { anchors: ['GET error: Get '] },
    ),
    untrusted: definite(
      ['ignition', 'console', 'journal'],
      /(?<url>https?:\/\/[^\s"]+:\d+\/config\/[\w-]+(?:\?[^\s"]{1,80})?)"?: .*(?<reason>x509: [^"\n]{0,120})/,
    ),
    answered: withdraws(['ignition', 'console', 'journal'], /GET result: OK/),
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine, url, reason }) =>
    `Ignition on ${machine ?? 'the machine'} gets no configuration from ${url ?? 'the machine-config server'}${reason === undefined ? '' : ` (${reason.trim()})`} and repeats forever; the system behind it never starts.`,
  remedy: ({ reason, url }) => [
    reason?.includes('x509') === true
      ? step(
          'The pointer in the user data carries an old root certificate: compare it with the server’s and renew the worker-user-data secret.',
          "oc -n openshift-machine-api get secret worker-user-data -o jsonpath='{.data.userData}' | base64 -d",
        )
      : step(
          'Open TCP 22623 and 6443 from the workers’ security group to the internal load balancer, and see whether its targets are healthy.',
          'aws elbv2 describe-target-health --target-group-arn <target-group-22623>',
        ),
    step(
      'Ask for the configuration from another machine of the same subnet.',
      `curl -sk -o /dev/null -w '%{http_code}\\n' -H 'Accept: application/vnd.coreos.ignition+json;version=3.2.0' ${url ?? 'https://api-int.<cluster-domain>:22623/config/worker'}`,
    ),
  ],
  decide: step(
    'Read the console: nothing else shows it.',
    'aws ec2 get-console-output --latest --output text --instance-id <instance>',
  ),
  page: {
    why: 'A new OpenShift machine fetches its whole configuration over HTTPS from the machine-config server behind api-int, port 22623, before its real root file system is used. A closed port, a missing DNS record or a rotated certificate keeps it in the initramfs, with green EC2 checks.',
    prevent:
      'Keep the port open between machine subnets; refresh worker-user-data after a rotation of the server’s certificate.',
    notThis:
      'A few attempts while the network comes up are normal. An answer with an HTTP error is machine-config-refused. A machine that reaches its real root and waits for a name is node-name-service-stuck.',
    alsoKnownAs: ['GET https://api-int.example.com:22623/config/worker: attempt #42'],
    refs: [
      'https://github.com/openshift/installer/issues/4041',
      'https://github.com/openshift/machine-config-operator/issues/414',
    ],
  },
});

export default matched(cause, matchTail);

type Own = ViewOf<typeof cause>;

/** The tail of a long wait shows one or two errors; the counter beside them says how many there were. */
function matchTail(view: Own): Match | null {
  const counted = view.sign('manyAttempts');
  const unanswered = view.sign('unansweredNow') ?? view.sign('balancerAnswersNow');
  if (counted === null || unanswered === null || isPlain(view)) return null;
  return found(unanswered.last.captures, [unanswered.last, counted.last], 'likely');
}

function isPlain(view: Own): boolean {
  return view.anySign('noAnswer', 'untrusted', 'balancerAnswers');
}
