import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';

/** nodeadm asked for the role's credentials before they were in metadata and did not ask again. */
export default defineCause({
  id: 'late-instance-credentials',
  stage: 'bootstrapped',
  title: 'instance metadata had no role credentials yet when nodeadm asked once',
  scope: 'machine',
  signs: {
    notThereYet: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['unretryable error'],
      pattern:
        /request failed with unretryable error http response error StatusCode: 404, request to EC2 IMDS failed/,
      weight: 'likely',
    },
    askedOnce: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['failed to sign request: failed to retrieve credentials'],
      pattern:
        /Command failed.*failed to sign request: failed to retrieve credentials.*no EC2 IMDS role found.*StatusCode: 404/,
      weight: 'context',
    },
    stillAbsent: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['no EC2 IMDS role found'],
      pattern: /no EC2 IMDS role found.*StatusCode: 404/,
      weight: 'context',
    },
    asksAgain: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['retrying request ec2imds/'],
      pattern: /retrying request ec2imds\/\w+, attempt (?:[4-9]|\d\d)/,
      weight: 'clears',
    },
    detailsKnown: {
      in: ['nodeadm', 'cloud-init', 'console'],
      anchors: ['Instance details populated', 'Default options populated'],
      pattern: /(?:Instance details|Default options) populated/,
      weight: 'withdraws',
    },
    configured: {
      in: ['nodeadm', 'journal', 'console'],
      anchors: ['nodeadm-config.service', 'EKS Nodeadm Config'],
      pattern: /Finished (?:nodeadm-config\.service|EKS Nodeadm Config)/,
      weight: 'withdraws',
    },
  },
  needs: ['aws/profile-association'],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  match: (view) => matchAskedOnce(view),
  summary: ({ machine }) =>
    `Instance metadata answered 404 for the role credentials of ${machine ?? 'the machine'} in its first seconds and nodeadm did not ask again, so it never learned the instance’s name.`,
  remedy: () => [
    {
      text: 'Look whether the credentials are there now.',
      command:
        'TOKEN=$(curl -sX PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 60"); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/iam/security-credentials/',
    },
    {
      text: 'If they are, start the setup again, or replace the machine.',
      command: 'sudo systemctl restart nodeadm-config nodeadm-run',
    },
    {
      text: 'Move to a current image: its nodeadm repeats the request while metadata answers 404.',
      command:
        'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value',
    },
  ],
  decide: {
    text: 'See whether the instance has a profile and whether it is associated.',
    command:
      'aws ec2 describe-iam-instance-profile-associations --filters Name=instance-id,Values=<instance>',
  },
  page: {
    why: 'EC2 delivers a role’s credentials into metadata a moment after the instance starts; when many start at once it takes longer. The AWS SDK treats the 404 until then as final, and older nodeadm took its word.',
    prevent: 'Keep images current; do not swap instance profiles at launch.',
    notThis:
      'A 404 that stays is an instance without a usable profile (no-aws-credentials). No answer at all instead of a 404 is imds-unreachable-on-host.',
    alsoKnownAs: [
      'request failed with unretryable error http response error StatusCode: 404, request to EC2 IMDS failed',
    ],
    refs: ['https://github.com/awslabs/amazon-eks-ami/pull/1970'],
  },
});

/** The first releases do not print their attempts; a profile in place tells late from never. */
function matchAskedOnce(view: View<'aws/profile-association', 'askedOnce'>): Match | null {
  const asked = view.sign('askedOnce');
  const profile = view
    .list('aws/profile-association')
    .find(
      ({ value }) =>
        value.State === 'associated' &&
        (view.instanceId === null || value.InstanceId === view.instanceId),
    );
  if (asked === null || profile === undefined) return null;
  const arn = profile.value.IamInstanceProfile?.Arn ?? 'an instance profile';
  return found({}, [asked.last, view.quote(profile, `${arn} is associated`)], 'likely');
}
