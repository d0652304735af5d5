import type { Seen } from '../../evidence/fact.ts';
import type { Instance } from '../../evidence/aws/instance.ts';
import type { ScalingActivity } from '../../evidence/aws/groups.ts';
import type { FactTypes } from '../../evidence/kinds.ts';
import { groupOfInstance, type ShortGroup, shortGroups } from './launch.ts';
import type { KmsKey, KmsKeyPolicy } from '../../evidence/aws/iam.ts';
import type { PolicyStatement } from '../../evidence/aws/policy.ts';

const CLIENT_ERROR =
  /Client\.InternalError|Client error on launch|InvalidKMSKey|KMS key provided|inaccessible (?:AWS )?KMS key/;

type KeyKind =
  | 'aws/auto-scaling-group'
  | 'aws/instance'
  | 'aws/launch-template-version'
  | 'aws/scaling-activity'
  | 'aws/kms-key'
  | 'aws/kms-key-policy';

/** What a cause's view gives of launches and keys. */
export interface KeyFacts {
  list<N extends KeyKind>(kind: N): readonly Seen<FactTypes[N]>[];
}

/** A group whose launches end with a reason behind which the key of its volumes may stand. */
export interface KeyTrouble {
  readonly short: ShortGroup;
  /** The activity or the instance that says so. */
  readonly failed: Seen<Instance | ScalingActivity>;
  readonly words: string;
  /** The key, where it is known and was read. */
  readonly key: Seen<KmsKey> | null;
  readonly policy: Seen<KmsKeyPolicy> | null;
  /** False for the account's default key, which the template does not name. */
  readonly isNamed: boolean;
}

/** Groups short of machines whose last launch ended with the error of a key, with that key. */
export function keyTroubles(facts: KeyFacts): readonly KeyTrouble[] {
  const shorts = shortGroups(
    facts.list('aws/auto-scaling-group'),
    facts.list('aws/launch-template-version'),
  );
  return shorts.flatMap((short) => {
    const failed = failedActivity(facts, short) ?? endedInstance(facts, short);
    return failed === null ? [] : [{ short, ...failed, ...keyOf(facts, short) }];
  });
}

interface Failed {
  readonly failed: Seen<Instance | ScalingActivity>;
  readonly words: string;
}

function failedActivity(facts: KeyFacts, { size }: ShortGroup): Failed | null {
  const [last] = facts
    .list('aws/scaling-activity')
    .filter(({ value }) => value.AutoScalingGroupName === size.name)
    .toSorted((a, b) => (startOf(a.value) < startOf(b.value) ? 1 : -1));
  const status = last?.value.StatusCode ?? '';
  const message = last?.value.StatusMessage ?? '';
  if (last === undefined || !/^(?:Failed|Cancelled)$/.test(status) || !CLIENT_ERROR.test(message))
    return null;
  return { failed: last, words: `Auto Scaling group ${size.name} activity ${status} ${message}` };
}

function startOf(activity: ScalingActivity): string {
  return activity.StartTime ?? '';
}

function endedInstance(facts: KeyFacts, { size }: ShortGroup): Failed | null {
  const ended = facts
    .list('aws/instance')
    .filter(({ value }) => groupOfInstance(value) === size.name)
    .find(({ value }) => CLIENT_ERROR.test(value.StateReason?.Code ?? ''));
  if (ended === undefined) return null;
  const { InstanceId: id = '', State: state, StateReason: reason } = ended.value;
  const words = `Instance ${id} of ${size.name} ${state?.Name ?? ''}: ${reason?.Message ?? ''}`;
  return { failed: ended, words };
}

function keyOf(
  facts: KeyFacts,
  { template }: ShortGroup,
): Pick<KeyTrouble, 'key' | 'policy' | 'isNamed'> {
  const name = (template?.value.LaunchTemplateData?.BlockDeviceMappings ?? [])
    .map((mapping) => mapping.Ebs?.KmsKeyId ?? '')
    .find((id) => id !== '');
  const keys = facts.list('aws/kms-key');
  const named = keys.find(({ value }) => isKey(value, name ?? ''));
  const key = (name === undefined && keys.length === 1 ? keys[0] : named) ?? null;
  const policy = facts
    .list('aws/kms-key-policy')
    .find(({ value }) => key !== null && isKey(key.value, value.KeyId ?? ''));
  return { key, policy: policy ?? null, isNamed: name !== undefined };
}

/** Keys are named by their id or their ARN. */
function isKey(key: KmsKey, name: string): boolean {
  return name !== '' && (key.Arn === name || key.KeyId === name);
}

/** The role that launches for an Auto Scaling group. */
export function launcherOf({ group }: ShortGroup, key: KmsKey): string {
  const [, partition = 'aws'] = (key.Arn ?? '').split(':');
  const account = group.value.AutoScalingGroupARN?.split(':')[4] ?? '<account>';
  return (
    group.value.ServiceLinkedRoleARN ??
    `arn:${partition}:iam::${account}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`
  );
}

/** What a role needs of the key of a volume that it launches with, each by one action. */
const NEEDED = ['kms:GenerateDataKeyWithoutPlaintext', 'kms:Decrypt', 'kms:CreateGrant'];

/** Actions that no statement of the key's policy allows the role; null when it cannot be read. */
export function missingActions(
  { Policy: policy }: KmsKeyPolicy,
  role: string,
): readonly string[] | null {
  if (policy === null || policy === undefined) return null;
  const own = policy.Statement.filter((statement) => isFor(statement, role));
  return NEEDED.filter((action) => !own.some((statement) => allows(statement, action)));
}

function isFor(statement: PolicyStatement, role: string): boolean {
  const { '*': anybody = [], AWS: accounts = [] } = statement.Principal;
  const principals = [...anybody, ...accounts];
  return principals.includes('*') || principals.includes(role);
}

/** A statement may name actions with a wildcard at their end: `kms:GenerateDataKey*`. */
function allows(statement: PolicyStatement, action: string): boolean {
  if (statement.Effect !== 'Allow') return false;
  return statement.Action.some((pattern) => {
    const lower = pattern.toLowerCase();
    const isOpen = lower.endsWith('*');
    return isOpen
      ? action.toLowerCase().startsWith(lower.slice(0, -1))
      : action.toLowerCase() === lower;
  });
}
