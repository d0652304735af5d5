import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';

const ON_HOST = ['nodeadm', 'kubelet', 'journal', 'client-output', 'cloud-init'] as const;

/** The signing helper of a hybrid node finds no certificate or key that it can read. */
export default defineCause({
  id: 'roles-anywhere-certificate-missing',
  stage: 'authenticated',
  title: 'the Roles Anywhere certificate or key of a hybrid node is missing or not PEM',
  scope: 'machine',
  signs: {
    fileMissing: definite(
      ON_HOST,
      /\b(?:open|stat) "?(?<file>\/\S*(?:\/iam\/pki|rolesanywhere)\S*?)"?: (?<why>no such file or directory|permission denied)/,
    ),
    notPem: likely(
      ON_HOST,
      /(?:^|[\s":])(?<why>could not parse (?:PEM data|private key|certificate)|unable to parse private key)\b/,
    ),
    refusedByNodeadm: definite(
      ON_HOST,
      /(?<why>no iam-roles-anywhere certificate found|(?:checking|reading|parsing) iam-roles-anywhere certificate)/,
    ),
    namedFileMissing: definite(
      ON_HOST,
      /IAM Roles Anywhere (?:certificate|private key) (?<file>\/\S{1,300}|[A-Z]:\\\S{1,300}) (?<why>not found)/,
    ),
    remedyPrinted: definite(
      ON_HOST,
      /(?<why>Certificate file not found) at (?<file>\S{1,300})\. Please provide a valid IAM Roles Anywhere certificate|IAM Roles Anywhere certificate at (?<file2>\S{1,300}) is (?<why2>not in a valid format)/,
    ),
    helperFailed: context(ON_HOST, /process provider error: error in credential_process/),
  },
  needs: [],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['no-aws-credentials', 'describe-cluster-failed'],
  summary: ({ machine, file, why }) =>
    `${machine ?? 'The hybrid node'} has no usable Roles Anywhere certificate or key${file === undefined ? '' : ` at ${file}`}${why === undefined ? '' : ` (${why})`}, so it gets no AWS credentials and cannot join.`,
  remedy: ({ file }) => [
    step(
      'See what is there: both files, readable for root, each in PEM.',
      `sudo ls -l /etc/iam/pki; sudo head -n 1 ${file ?? '/etc/iam/pki/server.pem /etc/iam/pki/server.key'}`,
    ),
    step(
      'Put this host’s own certificate and key there, or name their place in nodeConfig.yaml (certificatePath, privateKeyPath).',
      'sudo mkdir -p /etc/iam/pki && sudo install -m 600 server.pem server.key /etc/iam/pki/',
    ),
    step('Run the initialization again.', 'sudo nodeadm init -c file://nodeConfig.yaml'),
  ],
  decide: step(
    'Read the certificate as the signing helper does.',
    'sudo openssl x509 -noout -subject -issuer -dates -in /etc/iam/pki/server.pem; sudo ls -l /etc/iam/pki',
  ),
  page: {
    why: 'With IAM Roles Anywhere a hybrid node proves itself by an X.509 certificate. nodeadm writes /etc/aws/hybrid/config, which runs aws_signing_helper with the certificate and key; by default /etc/iam/pki/server.pem and server.key. A missing folder, DER in place of PEM, or a key with a passphrase end it there.',
    prevent:
      'Put certificate and key onto the host before nodeadm init, and check them with openssl in the image or provisioning step.',
    notThis:
      'A certificate that is read and refused by AWS is roles-anywhere-trust. A helper that does not start for want of a newer glibc has another cause. Hosts with SSM: ssm-credentials-missing.',
    alsoKnownAs: [
      'open /etc/iam/pki/server.pem: no such file or directory',
      'could not parse PEM data',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html#hybrid-nodes-troubleshooting-creds',
      'https://github.com/aws/eks-hybrid/blob/HEAD/internal/node/hybrid/certificate_validator.go',
      'https://github.com/aws/rolesanywhere-credential-helper',
    ],
  },
});
