import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';

/** The token was signed in a session that is not named after an instance. */
export default defineCause({
  id: 'session-name-not-instance-id',
  stage: 'authenticated',
  title: 'the token’s session is not named after an instance id',
  scope: 'group',
  signs: {
    noInstanceId: definite(
      ['authenticator'],
      /access denied.*?\barn="?(?<role>arn:[^"\s]+).*SessionName did not contain an instance id|SessionName did not contain an instance id/,
    ),
  },
  needs: [],
  symptoms: ['kubelet-unauthorized'],
  withdrawnBy: [],
  explains: ['node-role-not-in-aws-auth'],
  summary: ({ role }) =>
    `Someone calls as ${role ?? 'the node role'} in a session that is not an instance id, so {{EC2PrivateDNSName}} in its mapping cannot be filled in and the call gets 401 Unauthorized.`,
  remedy: ({ role }) => [
    step(
      'On a node: take static credentials and AWS_PROFILE out of the kubelet’s environment, so that it uses the instance profile.',
      'systemctl show kubelet -p Environment -p EnvironmentFiles; sudo ls ~root/.aws',
    ),
    step(
      'For a person or pipeline: give it a role and mapping of its own.',
      `aws eks create-access-entry --cluster-name <cluster> --principal-arn ${role ?? '<role-arn>'} --type STANDARD`,
    ),
    step(
      'For hybrid nodes: the access entry type HYBRID_LINUX uses the session name instead.',
      `aws eks create-access-entry --cluster-name <cluster> --principal-arn ${role ?? '<role-arn>'} --type HYBRID_LINUX`,
    ),
  ],
  decide: step(
    'Ask on the node as whom it calls; the session after the last slash must be i-….',
    'aws sts get-caller-identity --query Arn',
  ),
  page: {
    why: 'EC2 names the session of an instance profile after the instance. Keys in the environment, or a role assumed by hand, give any other name, and the authenticator cannot look up the host.',
    prevent:
      'Nothing but the instance profile on nodes; no node mappings for people and pipelines.',
    notThis:
      'A session i-… whose instance is not found is instance-invisible-to-authenticator; an ARN that is not mapped, node-role-not-in-aws-auth.',
    refs: [
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/issues/419',
      'https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/server/server.go',
    ],
  },
});
