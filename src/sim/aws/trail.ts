/** CloudTrail: calls that change things are found minutes later by those who look. */
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsCall, AwsService } from '../../ports/aws-api.ts';
import { type Account, isoMoment } from './account.ts';
import type { AwsIdentity, AwsRefusal } from './contract.ts';
import { put } from './ec2/network.ts';
import { isRead } from './operation.ts';

/** On the mean CloudTrail delivers an event within about five minutes (CloudTrail user guide). */
const DELIVERY_MEDIAN_MS = 180_000;
/** Of those who call from outside (RFC 5737). */
const SOURCE = '203.0.113.7';
/** More are forgotten, the oldest first. */
const KEPT = 500;

const SOURCES: Readonly<Partial<Record<AwsService, string>>> = {
  autoscaling: 'autoscaling.amazonaws.com',
  ec2: 'ec2.amazonaws.com',
  eks: 'eks.amazonaws.com',
  iam: 'iam.amazonaws.com',
};

/** Keeps what a call did, or was refused, once CloudTrail delivers it. */
export function record(
  account: Account,
  identity: AwsIdentity,
  call: AwsCall,
  refusal: AwsRefusal | null,
): void {
  const source = SOURCES[call.service];
  if (source === undefined || isRead(call.operation)) return;
  const EventId = account.ids.uuid();
  const event = eventOf(account, { EventId, source, identity, call, refusal });
  const random = account.kernel.random('aws/trail');
  account.kernel.after(Math.round(random.lognormal(DELIVERY_MEDIAN_MS, 0.4)), () => {
    put(account, 'trail-event', EventId, event);
    account.trail.push(EventId);
    const oldest = account.trail.length > KEPT ? account.trail.shift() : undefined;
    if (oldest !== undefined) account.plain['trail-event'].delete(oldest, account.kernel.nowMs());
  });
}

/** By the location names of the API; what goes into the path is recorded as it is sent. */
function requestOf({ input }: AwsCall): JsonObject {
  const { clusterName, principalArn, policyArn } = input;
  const inPath = typeof principalArn === 'string' ? encodeURIComponent(principalArn) : null;
  return { name: clusterName ?? null, principalArn: inPath, policyArn: policyArn ?? null };
}

interface Recorded {
  readonly EventId: string;
  readonly source: string;
  readonly identity: AwsIdentity;
  readonly call: AwsCall;
  readonly refusal: AwsRefusal | null;
}

function eventOf(
  account: Account,
  { EventId, source, identity, call, refusal }: Recorded,
): JsonObject {
  const time = isoMoment(account.kernel.nowMs());
  const raw = {
    eventVersion: '1.11',
    userIdentity: { arn: identity.arn, accountId: account.accountId },
    eventTime: time,
    eventSource: source,
    eventName: call.operation,
    awsRegion: account.region,
    sourceIPAddress: SOURCE,
    ...(call.service === 'eks' ? { requestParameters: requestOf(call) } : {}),
    ...(refusal === null
      ? {}
      : { errorCode: `Client.${refusal.code}`, errorMessage: refusal.message }),
    eventID: EventId,
  };
  const ids = JSON.stringify(call.input).match(/\bi-[0-9a-f]{17}\b/g) ?? [];
  return {
    EventId,
    EventName: call.operation,
    ReadOnly: 'false',
    AccessKeyId: identity.accessKeyId,
    EventTime: time,
    EventSource: source,
    Username: identity.arn.slice(identity.arn.lastIndexOf('/') + 1),
    Resources: [...new Set(ids)].map((ResourceName) => ({
      ResourceType: 'AWS::EC2::Instance',
      ResourceName,
    })),
    CloudTrailEvent: JSON.stringify(raw),
  };
}
