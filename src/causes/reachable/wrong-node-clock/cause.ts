import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  type SignNameOf,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { clockWords, errorWords, measuredClocks } from '../../../diagnosis/measured-clock.ts';
import type { Seen } from '../../../evidence/fact.ts';
import type { HostClock } from '../../../evidence/kinds.ts';
import type { Quote } from '../../../evidence/sighting.ts';
import { isoMs } from '../../../evidence/time.ts';

const ON_NODE = [
  'kubelet',
  'kubeadm',
  'cloud-init',
  'nodeup',
  'bottlerocket',
  'nodeadm',
  'ipamd',
  'aws-node',
  'ignition',
] as const;

/** The machine's clock is so wrong that certificates and signatures are refused. */
const cause = defineCause({
  id: 'wrong-node-clock',
  stage: 'reachable',
  title: 'the machine’s clock is wrong',
  scope: 'machine',
  signs: {
    notYetValid: definite(
      ON_NODE,
      /x509: certificate has expired or is not yet valid: current time (?<now>[\dTZ:+-]+) is before (?<from>[\dTZ:+-]+)/,
    ),
    signatureSkewed: definite(
      ON_NODE,
      // The authenticator of EKS tells of the clocks of those who ask it.
      /^(?!.*getCallerIdentity failed).*(?:Signature (?:expired|not yet current): (?<signed>\d{8}T\d{6}Z) is (?:now earlier|still later) than (?<from>\d{8}T\d{6}Z)|\bRequestTimeTooSkewed\b)/,
      { anchors: ['Signature not yet current', 'Signature expired: ', 'RequestTimeTooSkewed'] },
    ),
    expired: context(
      ON_NODE,
      /x509: certificate has expired or is not yet valid: current time (?<now>[\dTZ:+-]+) is after (?<until>[\dTZ:+-]+)/,
    ),
    notValidated: context(
      ON_NODE,
      /\bAuthFailure\b.*not able to validate the provided access credentials|\bRequestExpired\b.*Request has expired/,
    ),
    // Tokens of EKS are signed by the machine's clock; certificates are checked by the server's.
    unauthorized: context(
      ['kubelet'],
      /(?:register node|[Ff]ailed to (?:(?:list|watch) \*v1|ensure)).*\bUnauthorized\b/,
    ),
    unsynchronized: context(
      ['event', 'node-status'],
      /\bClockUnsynchronized\b|clock is not synchronized/,
    ),
    tokenRefused: context(
      ['authenticator'],
      /X-Amz-Date parameter is expired|Signature expired: \d{8}T/,
      { anchors: ['X-Amz-Date parameter is expired', 'Signature expired: '] },
    ),
    certificateInThePast: context(
      ['controller-manager'],
      /refusing to sign a certificate that expired in the past/,
    ),
    // Minutes at once; a machine that starts is seldom off by more than some seconds.
    stepped: likely(
      ['journal', 'host-file', 'console'],
      /System clock (?:wrong by|was stepped by) -?(?<seconds>\d{3,9})\.\d+ seconds/,
    ),
    toldWrong: likely(
      ['client-output', 'unknown', 'terraform'],
      /\b(?:[Nn]ode|[Mm]achine|[Ii]nstance|[Hh]ost|[Ss]ystem|[Ss]erver|[Ww]orker)(?:'s|s'|s)? (?:system )?(?:clocks?|time)\b.{0,30}\b(?:was|is|were|are) (?:\w+ ){0,3}?(?:behind|ahead|wrong|off by|skewed|drifted|out of sync|in the (?:past|future)|not (?:in sync|synced|synchroni[sz]ed))\b|\b(?:[Cc]lock|[Tt]ime) (?:skew|drift) (?:of|on|between) (?:the |our |my )?(?:\w+ ){0,2}(?:nodes?|instances?|machines?|hosts?|workers?)\b/,
      {
        isTold: true,
        anchors: [
          'clock',
          'time was',
          'time is',
          'times were',
          'system time',
          'Clock skew',
          'Time skew',
          'Time drift',
        ],
      },
    ),
  },
  needs: ['host/clock'],
  symptoms: [],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: [
    'untrusted-api-certificate',
    'cluster-info-unreadable',
    'describe-cluster-failed',
    'failed-user-script',
    'expired-bootstrap-token',
  ],
  summary: ({ now, from, signed, off, machine }) =>
    `The clock of ${machine ?? 'the machine'} is wrong${differenceWords({ off, here: now ?? signed, there: from })}, so certificates and AWS signatures are refused.`,
  remedy: () => [
    step('See how far off it is.', 'timedatectl; chronyc tracking'),
    step(
      'Let it follow the Amazon time service (UDP 123 to 169.254.169.123), and restart the kubelet.',
      'sudo systemctl enable --now chronyd && sudo chronyc -a makestep && sudo systemctl restart kubelet',
    ),
  ],
  decide: step(
    'Compare the machine’s clock with a server’s.',
    'date -u; curl -sI https://aws.amazon.com | grep -i ^date; chronyc tracking',
  ),
  page: {
    why: 'A certificate is valid from a moment on, and AWS accepts signatures of a few minutes only. Machines resumed from an image, hybrid machines, and VPCs that block UDP 123 start with a clock that is minutes to years off.',
    prevent:
      'Run chrony with 169.254.169.123 in every image, and order the kubelet after time-sync.target.',
    notThis:
      'current time … is after … may be a certificate that did expire: compare the time in the message with the real one (expired-kubelet-client-certificate). A wrong clock also shows as AuthFailure, which alone proves nothing: chronyc tracking beside it decides.',
    alsoKnownAs: [
      'x509: certificate has expired or is not yet valid',
      'Signature not yet current',
      'Signature expired',
    ],
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/token/token.go',
      'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/set-time.html',
    ],
  },
});

export default matched(cause, (view) => {
  const [clock] = measuredClocks(view.list('host/clock'));
  return clock === undefined ? null : byClock(view, clock);
});

type Own = ViewOf<typeof cause>;

/** A clock this close to the true one explains no refusal. */
const RIGHT_MS = 60_000;
/** AWS promises to accept signatures of five minutes, and no service accepts more than fifteen. */
const REFUSED_AT_TIMES_MS = 5 * 60_000;
const REFUSED_ALWAYS_MS = 15 * 60_000;

interface Difference {
  readonly off: string | undefined;
  readonly here: string | undefined;
  readonly there: string | undefined;
}

function differenceWords({ off, here, there }: Difference): string {
  if (off !== undefined) return ` (${off})`;
  return here === undefined ? '' : ` (${here} there, ${there ?? 'another time'} on the other side)`;
}

/** What a measured clock makes of the refusals; null when it says nothing of them. */
function byClock(view: Own, clock: Seen<HostClock>): Match | null {
  const aheadMs = clock.value.aheadMs ?? 0;
  const told = quotesOf(view, ['notYetValid', 'signatureSkewed']);
  // A clock that is right by now was not when a refusal told both times.
  if (Math.abs(aheadMs) < RIGHT_MS)
    return told.length === 0 && quotesOf(view, ['expired', 'notValidated']).length > 0
      ? clear
      : null;
  const expired = quotesOf(view, ['expired']).filter((quote) => isValidYet(quote, aheadMs));
  const signed = refusedSignatures(view, aheadMs);
  const isAlways = Math.abs(aheadMs) >= REFUSED_ALWAYS_MS;
  const proven = [...told, ...expired, ...(isAlways ? signed : [])];
  const guessed = isAlways ? quotesOf(view, ['unauthorized']) : signed;
  const details = { ...told[0]?.captures, off: errorWords(aheadMs) };
  const quote = view.quote(clock, clockWords(clock));
  if (proven.length > 0) return found(details, [...proven, quote]);
  if (guessed.length > 0) return found(details, [...guessed, quote], 'likely');
  return view.sign('expired') === null ? null : clear;
}

function quotesOf(view: Own, signs: readonly SignNameOf<typeof cause>[]): readonly Quote[] {
  return signs.flatMap((name) => {
    const sighting = view.sign(name);
    return sighting === null ? [] : [sighting.first];
  });
}

/** True when the certificate is still valid by the true time. */
function isValidYet({ captures }: Quote, aheadMs: number): boolean {
  const [nowMs, untilMs] = [isoMs(captures['now'] ?? ''), isoMs(captures['until'] ?? '')];
  return nowMs !== null && untilMs !== null && nowMs - aheadMs < untilMs;
}

function refusedSignatures(view: Own, aheadMs: number): readonly Quote[] {
  return Math.abs(aheadMs) < REFUSED_AT_TIMES_MS ? [] : quotesOf(view, ['notValidated']);
}
