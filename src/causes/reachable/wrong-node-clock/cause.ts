import { defineCause } from '../../../diagnosis/cause.ts';

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
export default defineCause({
  id: 'wrong-node-clock',
  stage: 'reachable',
  title: 'the machine’s clock is wrong',
  scope: 'machine',
  signs: {
    notYetValid: {
      in: ON_NODE,
      anchors: ['certificate has expired or is not yet valid'],
      pattern:
        /x509: certificate has expired or is not yet valid: current time (?<now>[\dTZ:+-]+) is before (?<from>[\dTZ:+-]+)/,
      weight: 'definite',
    },
    signatureSkewed: {
      in: ON_NODE,
      anchors: ['Signature not yet current', 'Signature expired: ', 'RequestTimeTooSkewed'],
      pattern:
        /(?:Signature (?:expired|not yet current): (?<signed>\d{8}T\d{6}Z) is (?:now earlier|still later) than (?<from>\d{8}T\d{6}Z)|\bRequestTimeTooSkewed\b)/,
      weight: 'definite',
    },
    unsynchronized: {
      in: ['event', 'node-status'],
      anchors: ['ClockUnsynchronized', 'clock is not synchronized'],
      pattern: /\bClockUnsynchronized\b|clock is not synchronized/,
      weight: 'context',
    },
  },
  needs: [],
  symptoms: [],
  withdrawnBy: ['api-answered', 'joined', 'node-registered', 'node-ready'],
  explains: [
    'untrusted-api-certificate',
    'cluster-info-unreadable',
    'describe-cluster-failed',
    'failed-user-script',
    'expired-bootstrap-token',
  ],
  summary: ({ now, from, signed, machine }) =>
    `The clock of ${machine ?? 'the machine'} is wrong${now === undefined && signed === undefined ? '' : ` (${now ?? signed ?? ''} there, ${from ?? 'another time'} on the other side)`}, so certificates and AWS signatures are refused.`,
  remedy: () => [
    { text: 'See how far off it is.', command: 'timedatectl; chronyc tracking' },
    {
      text: 'Let it follow the Amazon time service (UDP 123 to 169.254.169.123), and restart the kubelet.',
      command:
        'sudo systemctl enable --now chronyd && sudo chronyc -a makestep && sudo systemctl restart kubelet',
    },
  ],
  decide: {
    text: 'Compare the machine’s clock with a server’s.',
    command: 'date -u; curl -sI https://aws.amazon.com | grep -i ^date; chronyc sources',
  },
  page: {
    why: 'A certificate is valid from a moment on, and AWS accepts signatures of a few minutes only. Machines resumed from an image, hybrid machines, and VPCs that block UDP 123 start with a clock that is minutes to years off.',
    prevent:
      'Run chrony with 169.254.169.123 in every image, and order the kubelet after time-sync.target.',
    notThis:
      'current time … is after … may be a certificate that did expire: compare the time in the message with the real one (expired-kubelet-client-certificate). A wrong clock also shows as AuthFailure, which alone says nothing.',
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
