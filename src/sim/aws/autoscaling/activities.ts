/** What an Auto Scaling group did and why, as its activities tell it. */
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type Account, isoMoment } from '../account.ts';
import { put } from '../ec2/network.ts';
import type { AutoScalingGroup } from '../state.ts';

export interface NewActivity {
  readonly description: string;
  /** What came after "At <time> ". */
  readonly cause: string;
  readonly statusCode: 'InProgress' | 'Successful' | 'Failed';
  readonly statusMessage?: string;
  readonly details?: JsonObject;
}

/** Kept for six weeks by AWS; here the last ones of each group. */
const KEPT = 200;

/** @returns the id, by which it is ended later */
export function beginActivity(
  account: Account,
  group: AutoScalingGroup,
  activity: NewActivity,
): string {
  const ActivityId = account.ids.uuid();
  const now = isoMoment(account.kernel.nowMs());
  const { statusCode, statusMessage, details = {} } = activity;
  put(account, 'scaling-activity', ActivityId, {
    ActivityId,
    AutoScalingGroupName: group.name,
    Description: activity.description,
    Cause: `At ${now.slice(0, 19)}Z ${activity.cause}`,
    StartTime: now,
    ...(statusCode === 'InProgress' ? {} : { EndTime: now }),
    StatusCode: statusCode,
    ...(statusMessage === undefined ? {} : { StatusMessage: statusMessage }),
    Progress: statusCode === 'InProgress' ? 30 : 100,
    Details: JSON.stringify(details),
    AutoScalingGroupARN: group.arn,
  });
  forgetOldest(account, group.name);
  return ActivityId;
}

function forgetOldest(account: Account, name: string): void {
  const activities = account.plain['scaling-activity'];
  const own = activities.values().filter((one) => one['AutoScalingGroupName'] === name);
  const [oldest] = own;
  if (own.length > KEPT && oldest !== undefined)
    activities.delete(textAt(oldest, 'ActivityId') ?? '', account.kernel.nowMs());
}

export function endActivity(account: Account, activityId: string): void {
  const nowMs = account.kernel.nowMs();
  account.plain['scaling-activity'].change(activityId, nowMs, (before) => ({
    ...before,
    EndTime: isoMoment(nowMs),
    StatusCode: 'Successful',
    Progress: 100,
  }));
}
