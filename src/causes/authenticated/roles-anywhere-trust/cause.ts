import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely } from '../../../diagnosis/sign.ts';
import { sentence } from '../../../diagnosis/sentence.ts';

const ON_HOST = ['nodeadm', 'kubelet', 'journal', 'client-output', 'cloud-init'] as const;

/** IAM Roles Anywhere does not give the role to who shows this certificate. */
export default defineCause({
  id: 'roles-anywhere-trust',
  stage: 'authenticated',
  title: 'the Roles Anywhere trust anchor, profile or role does not accept the certificate',
  scope: 'group',
  signs: {
    untrusted: definite(
      ON_HOST,
      /AccessDenied(?:Exception)?: (?<why>Untrusted (?:signing )?certificate(?:\. [\w ]{4,60})?|Insufficient certificate|Certificate revoked)|(?<why2>Untrusted certificate\. Insufficient certificate)/i,
      {
        anchors: [
          'ntrusted certificate',
          'ntrusted signing certificate',
          'ntrusted Signing Certificate',
          'Insufficient certificate',
          'ertificate revoked',
        ],
      },
    ),
    roleRefused: definite(
      ON_HOST,
      /AccessDenied(?:Exception)?: (?<why>Unable to assume role) for (?<role>arn:aws[\w-]*:iam::\d+:role\/[\w+=,.@/-]+)/,
    ),
    sessionName: definite(ON_HOST, /(?<why>Not authorized to set roleSessionName)/),
    notFound: likely(
      ON_HOST,
      /(?<why>(?:Trust anchor|Profile) (?:with id \S{1,60} )?(?:not found|does not exist|is disabled|is not enabled))|ResourceNotFoundException: .{0,120}(?<why2>trust[- ]anchor|profile)\b/i,
      { anchors: ['ResourceNotFoundException', 'rust anchor', 'rolesanywhere'] },
    ),
    expired: definite(
      ON_HOST,
      /iam-roles-anywhere (?<why>server certificate has expired|certificate is not valid for the current cluster)/,
    ),
    tokenRefused: context(
      ['kubelet', 'nodeadm'],
      /could not get token: AccessDenied(?:Exception)?: .*is not authorized to perform: sts:AssumeRole on resource/,
    ),
    helperFailed: context(ON_HOST, /process provider error: error in credential_process/),
  },
  needs: [],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['no-aws-credentials', 'describe-cluster-failed', 'roles-anywhere-certificate-missing'],
  summary: ({ machine, why, why2, role }) =>
    sentence`IAM Roles Anywhere refuses ${machine ?? 'the hybrid node'} the role ${role} (${why ?? why2 ?? 'the certificate, the profile or the role’s trust'}), so it gets no AWS credentials and cannot join.`,
  remedy: ({ role, why }) => [
    why === 'Not authorized to set roleSessionName'
      ? step(
          'Let the profile accept a session name: the node’s name travels in it.',
          'aws rolesanywhere update-profile --profile-id <profile-id> --accept-role-session-name',
        )
      : step(
          'See that the trust anchor holds the authority that signed the host’s certificate and is enabled, and that the profile names the role.',
          'aws rolesanywhere list-trust-anchors; aws rolesanywhere list-profiles',
        ),
    step(
      'Read the role’s trust policy: it must let rolesanywhere.amazonaws.com assume, tag and set the source identity, under this trust anchor.',
      `aws iam get-role --role-name ${role === undefined ? '<hybrid-nodes-role>' : role.replace(/^.*\//, '')} --query Role.AssumeRolePolicyDocument`,
    ),
    step(
      'Check the certificate: version 3, not a CA, digitalSignature among its key usages, not expired.',
      'sudo openssl x509 -noout -text -in /etc/iam/pki/server.pem',
    ),
  ],
  decide: step(
    'Compare the certificate with the trust anchor.',
    'sudo openssl x509 -noout -issuer -dates -ext keyUsage,basicConstraints -in /etc/iam/pki/server.pem; aws rolesanywhere list-trust-anchors',
  ),
  page: {
    why: 'The signing helper trades the host’s certificate for credentials. Roles Anywhere asks that the trust anchor’s authority signed it, that it may sign (digitalSignature) and is not a CA, that the profile names the role and accepts session names, and that the role trusts the service. Each of them refuses in its own words.',
    prevent:
      'Make anchor, profile, role and certificates from one template, and try aws_signing_helper on one host first.',
    notThis:
      'A file that is missing or not PEM is roles-anywhere-certificate-missing. A certificate that is not yet valid means a clock: wrong-node-clock. Unauthorized from the API server comes after this, from access entries.',
    alsoKnownAs: [
      'AccessDeniedException: Untrusted certificate. Insufficient certificate',
      'AccessDeniedException: Unable to assume role for arn',
      'Not authorized to set roleSessionName',
    ],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html#hybrid-nodes-troubleshooting-creds',
      'https://docs.aws.amazon.com/rolesanywhere/latest/userguide/security_iam_troubleshoot.html',
      'https://github.com/aws/rolesanywhere-credential-helper/issues/108',
    ],
  },
});
