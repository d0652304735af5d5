import { defineCause, step } from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The file with the cluster's certificate authority is missing or holds no certificate. */
export default defineCause({
  id: 'invalid-cluster-ca-file',
  stage: 'bootstrapped',
  title: 'the cluster CA file is missing or is not a certificate',
  scope: 'machine',
  signs: {
    notLoaded: definite(
      ['kubelet'],
      /(?:[Kk]ubelet\b.*|server\.go:\d+\] )unable to load client CA (?:file|provider)(?::? ?(?:open )?"?(?<file>[\w./\\:-]+?)"?(?:: |, |$))?(?:.*?(?<reason>no such file or directory|does not contain any valid[\w ]*|permission denied|asn1|malformed|unable to parse|is a directory))?/,
    ),
    notThere: definite(
      ['kubelet'],
      /failed to run Kubelet: open (?<file>\/[\w./-]*ca[\w-]*\.(?:crt|pem)): (?<reason>no such file or directory|permission denied)/,
    ),
    noCertificate: definite(
      ['kubelet'],
      /(?:error reading (?<file>\/\S+ca\.crt): )?data (?<reason>does not contain any valid (?:RSA or ECDSA )?certificates)|(?<reason2>unable to load root certificates: unable to parse bytes as PEM block)/,
      { strict: true },
    ),
    notBase64: likely(['cloud-init', 'console'], /(?<reason>base64: (?:error: )?invalid input)/, {
      anchors: ['base64: invalid input', 'base64: error: invalid input'],
      strict: true,
    }),
    nodeadmNotBase64: definite(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*(?<reason>illegal base64 data at input byte \d+)/,
    ),
    kubeletRuns: withdraws(
      ['kubelet'],
      /Starting kubelet main sync loop|Observed pod startup duration/,
      { strict: true },
    ),
    karpenterNotBase64: definite(
      ['karpenter', 'node-claim', 'event'],
      /decoding CABundle, (?<reason>illegal base64 data at input byte \d+)/,
    ),
  },
  needs: [],
  symptoms: [],
  summary: ({ machine, file, reason }) =>
    sentence`The cluster’s certificate authority on ${machine ?? 'the machine'} (${file ?? '/etc/kubernetes/pki/ca.crt'}) cannot be used${phrase` (${reason})`}, so the kubelet stops at its start.`,
  remedy: ({ file }) => [
    step(
      'Read the right value; it is base64 already and must not be encoded again.',
      'aws eks describe-cluster --name <cluster> --query cluster.certificateAuthority.data --output text',
    ),
    step(
      'Correct --b64-cluster-ca, certificateAuthority or cluster-certificate in the user data and replace the machines; on this one check the file.',
      `sudo openssl x509 -noout -subject -enddate -in ${file ?? '/etc/kubernetes/pki/ca.crt'}`,
    ),
  ],
  decide: step(
    'See whether the file is a certificate.',
    'sudo openssl x509 -noout -subject -enddate -in /etc/kubernetes/pki/ca.crt',
  ),
  page: {
    why: 'User data carries the cluster’s CA as base64. Encoded twice, cut at a line end, quoted wrongly or left out, it decodes to something that is not a certificate, and the kubelet cannot check its clients.',
    prevent: 'Pass certificateAuthority.data unchanged, and fail the plan when it is empty.',
    notThis:
      'A real certificate of another cluster passes here and fails later as untrusted-api-certificate (x509: certificate signed by unknown authority).',
    alsoKnownAs: [
      'unable to load client CA file /etc/kubernetes/pki/ca.crt',
      'data does not contain any valid RSA or ECDSA certificates',
    ],
    refs: [
      'https://github.com/awslabs/amazon-eks-ami/issues/442',
      'https://github.com/awslabs/amazon-eks-ami/issues/178',
      'https://github.com/bottlerocket-os/bottlerocket/issues/4586',
    ],
  },
});
