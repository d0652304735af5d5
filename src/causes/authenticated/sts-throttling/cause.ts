import { defineCause, step } from '../../../diagnosis/cause.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';

/** STS answers the authenticator with throttling, now and then. */
export default defineCause({
  id: 'sts-throttling',
  stage: 'authenticated',
  title: 'STS throttles the checks of tokens, so authentication flaps',
  scope: 'cluster',
  signs: {
    throttled: definite(
      ['authenticator'],
      /access denied.*(?:[Tt]hrottl(?:ing|ed)|Rate exceeded)/,
      { anchors: ['Throttling', 'Rate exceeded', 'throttled'], atLeast: 2, enoughOnce: 'alone' },
    ),
    callerThrottled: likely(
      ['authenticator', 'client-output', 'aws-message', 'unknown'],
      /STS: GetCallerIdentity, exceeded maximum number of attempts.{0,300}api error Throttling/,
      { anchors: ['api error Throttling'] },
    ),
  },
  needs: [],
  symptoms: [],
  blocksAbove: false,
  summary: () =>
    'STS throttles the calls by which tokens are checked, so the same kubelet gets 401 Unauthorized now and is let in a moment later.',
  remedy: () => [
    step(
      'Find out who calls most.',
      'aws cloudtrail lookup-events --lookup-attributes AttributeKey=EventName,AttributeValue=GetCallerIdentity --max-results 50',
    ),
    step(
      'Let pipelines keep their token (15 minutes) instead of making one per command.',
      'aws eks get-token --cluster-name <cluster> --query status.expirationTimestamp',
    ),
  ],
  decide: step(
    'Look for throttling in the authenticator’s log.',
    'aws logs filter-log-events --log-group-name /aws/eks/<cluster>/cluster --log-stream-name-prefix authenticator- --filter-pattern \'?Throttling ?"Rate exceeded"\'',
  ),
  page: {
    why: 'Every new token is checked with a call to STS, which has a limit per account and region. Polling pipelines use it up for everybody.',
    prevent: 'Cache tokens; spread start times.',
    notThis:
      '401 for one role at all times is a mapping: node-role-not-in-aws-auth and its neighbours. STS switched off is sts-endpoint-unavailable.',
    refs: ['https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/HEAD/pkg/token/token.go'],
  },
});
