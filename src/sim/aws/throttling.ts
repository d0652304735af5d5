/** Token buckets of the APIs: a full bucket lets a burst through, then it is so many a second. */
import type { AwsCall, AwsService } from '../../ports/aws-api.ts';
import type { Account } from './account.ts';
import { JSON_SERVICES } from './authorization.ts';
import { actionOf, isRead } from './operation.ts';
import { type RefusedError, refused } from './refusal.ts';
import type { Bucket } from './state.ts';

/** Buckets of single actions (EC2 developer guide, "Request throttling for the Amazon EC2 API"). */
const EC2_ACTIONS: Readonly<Record<string, Bucket>> = {
  RunInstances: { size: 5, perSecond: 2 },
  StartInstances: { size: 5, perSecond: 2 },
  TerminateInstances: { size: 100, perSecond: 5 },
  AssignPrivateIpAddresses: { size: 100, perSecond: 5 },
  UnassignPrivateIpAddresses: { size: 100, perSecond: 5 },
  CreateNetworkInterface: { size: 100, perSecond: 5 },
  DeleteNetworkInterface: { size: 100, perSecond: 5 },
  DetachNetworkInterface: { size: 100, perSecond: 5 },
  CreateLaunchTemplateVersion: { size: 100, perSecond: 5 },
  DescribeInstanceTopology: { size: 1, perSecond: 1 },
  DescribeSpotPriceHistory: { size: 100, perSecond: 20 },
};

/** Reads, and writes of which the guide has no bucket of their own. */
const EC2_READ: Bucket = { size: 100, perSecond: 20 };
const EC2_WRITE: Bucket = { size: 50, perSecond: 5 };
/** No figures are published for the other services; these let a lab through and stop a storm. */
const OTHER_READ: Bucket = { size: 40, perSecond: 10 };
const OTHER_WRITE: Bucket = { size: 20, perSecond: 2 };

/**
 * Calls by which pods come by their roles: those of STS are counted in hundreds a second (IAM user
 * guide, "IAM and AWS STS quotas"); of EKS Auth no figure is public.
 */
const CREDENTIALS: Readonly<Record<string, Bucket>> = {
  'sts:AssumeRoleWithWebIdentity': { size: 600, perSecond: 600 },
  'eks-auth:AssumeRoleForPodIdentity': { size: 100, perSecond: 20 },
};

function bucketOf(account: Account, { service, operation }: AwsCall): Bucket {
  const action = actionOf(service, operation);
  const own = account.buckets.get(action) ?? CREDENTIALS[action];
  if (own !== undefined) return own;
  if (service !== 'ec2') return isRead(operation) ? OTHER_READ : OTHER_WRITE;
  return EC2_ACTIONS[operation] ?? (isRead(operation) ? EC2_READ : EC2_WRITE);
}

/** @throws RefusedError when the bucket of the action is empty */
export function throttle(account: Account, call: AwsCall): void {
  if (account.options.isThrottled === false) return;
  const action = actionOf(call.service, call.operation);
  const bucket = bucketOf(account, call);
  const nowMs = account.kernel.nowMs();
  const level = account.levels.get(action) ?? { tokens: bucket.size, atMs: nowMs };
  const refilled = level.tokens + ((nowMs - level.atMs) / 1000) * bucket.perSecond;
  const tokens = Math.min(bucket.size, refilled);
  if (tokens < 1) {
    account.levels.set(action, { tokens, atMs: nowMs });
    throw throttled(call.service);
  }
  account.levels.set(action, { tokens: tokens - 1, atMs: nowMs });
}

/** What a caller that is too fast is told. */
export function throttled(service: AwsService): RefusedError {
  if (service === 'ec2') return refused('RequestLimitExceeded', 'Request limit exceeded.', 503);
  if (!JSON_SERVICES.has(service)) return refused('Throttling', 'Rate exceeded', 400);
  return refused('ThrottlingException', 'Rate exceeded', service === 'eks' ? 429 : 400);
}
