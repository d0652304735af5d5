import {
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { clears, context, likely, withdraws } from '../../../diagnosis/sign.ts';

/** nodeadm asked for the role's credentials before they were in metadata and did not ask again. */
const cause = defineCause({
  id: 'late-instance-credentials',
  stage: 'bootstrapped',
  title: 'instance metadata had no role credentials yet when nodeadm asked once',
  scope: 'machine',
  signs: {
    notThereYet: likely(
      ['nodeadm', 'cloud-init', 'console'],
      /request failed with unretryable error http response error StatusCode: 404, request to EC2 IMDS failed/,
    ),
    askedOnce: context(
      ['nodeadm', 'cloud-init', 'console'],
      /Command failed.*failed to sign request: failed to retrieve credentials.*no EC2 IMDS role found.*StatusCode: 404/,
    ),
    stillAbsent: context(
      ['nodeadm', 'cloud-init', 'console'],
      /no EC2 IMDS role found.*StatusCode: 404/,
    ),
    asksAgain: clears(
      ['nodeadm', 'cloud-init', 'console'],
      /retrying request ec2imds\/\w+, attempt (?:[4-9]|\d\d)/,
    ),
    detailsKnown: withdraws(
      ['nodeadm', 'cloud-init', 'console'],
      /(?:Instance details|Default options) populated/,
    ),
    configured: withdraws(
      ['nodeadm', 'journal', 'console'],
      /Finished (?:nodeadm-config\.service|EKS Nodeadm Config)/,
    ),
  },
  needs: ['aws/profile-association'],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['kubelet-started', 'node-registered', 'node-ready'],
  summary: ({ machine }) =>
    `Instance metadata answered 404 for the role credentials of ${machine ?? 'the machine'} in its first seconds and nodeadm did not ask again, so it never learned the instance’s name.`,
  remedy: () => [
    step(
      'Look whether the credentials are there now.',
      'TOKEN=$(curl -sX PUT http://169.254.169.254/latest/api/token -H "X-aws-ec2-metadata-token-ttl-seconds: 60"); curl -s -H "X-aws-ec2-metadata-token: $TOKEN" http://169.254.169.254/latest/meta-data/iam/security-credentials/',
    ),
    step(
      'If they are, start the setup again, or replace the machine.',
      'sudo systemctl restart nodeadm-config nodeadm-run',
    ),
    step(
      'Move to a current image: its nodeadm repeats the request while metadata answers 404.',
      'aws ssm get-parameter --name /aws/service/eks/optimized-ami/<version>/amazon-linux-2023/x86_64/standard/recommended/image_id --query Parameter.Value',
    ),
  ],
  decide: step(
    'See whether the instance has a profile and whether it is associated.',
    'aws ec2 describe-iam-instance-profile-associations --filters Name=instance-id,Values=<instance>',
  ),
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

export default matched(cause, matchAskedOnce);

type Own = ViewOf<typeof cause>;

/** The first releases do not print their attempts; a profile in place tells late from never. */
function matchAskedOnce(view: Own): Match | null {
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
