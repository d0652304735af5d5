import { defineCause, step } from '../../../diagnosis/cause.ts';
import { context, definite, likely, withdraws } from '../../../diagnosis/sign.ts';

/** The SSM agent of a hybrid node has not renewed the credentials that it keeps. */
export default defineCause({
  id: 'ssm-credentials-expired',
  stage: 'authenticated',
  title: 'the SSM credentials of a hybrid node have expired',
  scope: 'machine',
  signs: {
    expired: definite(
      ['nodeadm', 'journal', 'client-output', 'host-file', 'cloud-init'],
      /(?:SSM: \w+|DescribeInstanceInformation|UpdateInstanceInformation|RequestManagedInstanceRoleToken|amazon-ssm-agent).*ExpiredToken(?:Exception)?\b/,
    ),
    expiredOnHost: likely(
      ['kubelet', 'nodeadm', 'journal', 'client-output'],
      /\b(?<instance>mi-[0-9a-f]{17})\b.*ExpiredToken(?:Exception)?\b|ExpiredToken(?:Exception)?\b.*\b(?<instance2>mi-[0-9a-f]{17})\b/,
    ),
    toldExpired: likely(
      ['client-output', 'unknown'],
      /\b[Hh]ybrid (?:nodes?|activations?)\b.{0,400}\bcredentials\b.{0,80}\b(?:ran out|expired|have expired|had expired)\b/,
      { isTold: true, anchors: ['credentials'] },
    ),
    expiredSomewhere: context(
      ['kubelet', 'nodeadm'],
      /security token included in the request is expired/,
    ),
    renewed: withdraws(
      ['nodeadm', 'journal'],
      /SSM agent is registered|Successfully refreshed credentials/i,
      { anchors: ['SSM agent is registered', 'Successfully refreshed credentials'] },
    ),
  },
  needs: [],
  symptoms: ['no-answer-from-metadata'],
  withdrawnBy: ['api-answered', 'node-registered', 'node-ready'],
  explains: ['no-aws-credentials', 'describe-cluster-failed'],
  summary: ({ machine, instance, instance2 }) =>
    `The credentials that SSM gave ${machine ?? instance ?? instance2 ?? 'the hybrid node'} have expired and its agent has not renewed them, so AWS refuses it and the kubelet gets no token.`,
  remedy: () => [
    step(
      'Restart the agent, which renews them at once where it reaches SSM.',
      'sudo systemctl restart amazon-ssm-agent || sudo systemctl restart snap.amazon-ssm-agent.amazon-ssm-agent',
    ),
    step(
      'If they stay old, see whether the host reaches SSM and what the agent says.',
      'curl -sS -o /dev/null -w "%{http_code}\\n" https://ssm.<region>.amazonaws.com; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
    ),
    step(
      'See whether SSM still knows the host.',
      'aws ssm describe-instance-information --filters Key=ResourceType,Values=ManagedInstance',
    ),
  ],
  decide: step(
    'See when the credentials were written last; they live for an hour.',
    'sudo ls -l ~root/.aws/credentials; sudo tail -n 50 /var/log/amazon/ssm/amazon-ssm-agent.log',
  ),
  page: {
    why: 'The SSM agent of a hybrid node writes credentials that live one hour and renews them. While the host cannot reach SSM it waits longer and longer between tries, up to 30 minutes with agents from 3.3.808.0 and longer before; so the node stays away after the network is back.',
    prevent:
      'A current SSM agent, a steady way to the SSM endpoints, and a host clock that is right.',
    notThis:
      'A file that is not there is ssm-credentials-missing. An activation that has expired concerns registration only. On EC2, expired credentials mean a wrong clock (wrong-node-clock).',
    alsoKnownAs: ['ExpiredTokenException: The security token included in the request is expired'],
    refs: [
      'https://docs.aws.amazon.com/eks/latest/userguide/hybrid-nodes-troubleshooting.html#hybrid-nodes-troubleshooting-creds',
      'https://docs.aws.amazon.com/eks/latest/best-practices/hybrid-nodes-host-creds.html',
    ],
  },
});
