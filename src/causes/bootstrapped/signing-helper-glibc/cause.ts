import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The helper that makes credentials from a certificate was built for a newer system. */
export default defineCause({
  id: 'signing-helper-glibc',
  stage: 'bootstrapped',
  title: 'the IAM Roles Anywhere signing helper needs a newer glibc',
  scope: 'machine',
  signs: {
    versionMissing: definite(
      ['nodeadm', 'kubelet', 'cloud-init', 'journal', 'console', 'client-output'],
      /aws_signing_helper\b.{0,200}?\bversion [`'"]?GLIBC_(?<needed>2\.\d{1,2})[`'"]? not found|\bversion [`'"]?GLIBC_(?<needed2>2\.\d{1,2})[`'"]? not found.{0,80}aws_signing_helper/,
    ),
  },
  needs: [],
  symptoms: [],
  explains: ['no-aws-credentials', 'describe-cluster-failed', 'broken-exec-credential-plugin'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  summary: ({ machine, needed, needed2 }) =>
    `aws_signing_helper on ${machine ?? 'the host'} needs glibc ${needed ?? needed2 ?? '2.34'} and the system has an older one, so the host gets no AWS credentials.`,
  remedy: () => [
    step(
      'See which glibc the system has.',
      'ldd --version | head -n 1; /usr/local/bin/aws_signing_helper version',
    ),
    step(
      'Use a system that EKS supports for hybrid nodes (RHEL 9, Ubuntu 22.04, AL2023 or newer), or SSM hybrid activations in place of Roles Anywhere.',
      'sudo nodeadm uninstall && sudo nodeadm install <kubernetes-version> --credential-provider ssm',
    ),
    step(
      'Or build the helper on the host itself.',
      'git clone https://github.com/aws/rolesanywhere-credential-helper && make -C rolesanywhere-credential-helper release',
    ),
  ],
  decide: step(
    'Look for the version that the helper lacks.',
    'journalctl -b --no-pager | grep -m3 GLIBC_2',
  ),
  page: {
    why: 'The published signing helper is linked against glibc 2.34, which RHEL 8, Amazon Linux 2 and Ubuntu 20.04 do not have. It ends before it reads the certificate, and everything that wants credentials fails.',
    prevent: 'Take the operating system from the list of supported ones before the rollout.',
    notThis:
      'A certificate that is missing or that Roles Anywhere refuses is another failing: the helper runs then and says so. Other programs that lack a glibc are not this.',
    alsoKnownAs: ["aws_signing_helper: version `GLIBC_2.34' not found"],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html',
      'https://github.com/aws/rolesanywhere-credential-helper/blob/HEAD/README.md',
    ],
  },
});
