import type { Seen } from '../../evidence/fact.ts';
import { at, isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import { groupOfInstance, type ShortGroup, shortGroups } from './launch.ts';
import type { KmsKey } from '../../evidence/aws/iam.ts';
import type { PolicyStatement } from '../../evidence/aws/policy.ts';

const CLIENT_ERROR =
  /Client\.InternalError|Client error on launch|InvalidKMSKey|KMS key provided|inaccessible (?:AWS )?KMS key/;
const POLICY_CHARACTERS_MAX = 40_000;

type KeyKind =
  | 'aws/auto-scaling-group'
  | 'aws/instance'
  | 'aws/launch-template-version'
  | 'aws/scaling-activity'
  | 'aws/kms-key'
  | 'aws/kms-key-policy';

/** What a cause's view gives of launches and keys. */
export interface KeyFacts {
  list(kind: KeyKind): readonly Seen<Json>[];
}

/** A group whose launches end with a reason behind which the key of its volumes may stand. */
export interface KeyTrouble {
  readonly short: ShortGroup;
  /** The activity or the instance that says so. */
  readonly failed: Seen<Json>;
  readonly words: string;
  /** The key, where it is known and was read. */
  readonly key: Seen<KmsKey> | null;
  readonly policy: Seen<Json> | null;
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
  readonly failed: Seen<Json>;
  readonly words: string;
}

function failedActivity(facts: KeyFacts, { size }: ShortGroup): Failed | null {
  const [last] = facts
    .list('aws/scaling-activity')
    .filter(({ value }) => textAt(value, 'AutoScalingGroupName') === size.name)
    .toSorted((a, b) => (startOf(a.value) < startOf(b.value) ? 1 : -1));
  const status = textAt(last?.value, 'StatusCode') ?? '';
  const message = textAt(last?.value, 'StatusMessage') ?? '';
  if (last === undefined || !/^(?:Failed|Cancelled)$/.test(status) || !CLIENT_ERROR.test(message))
    return null;
  return { failed: last, words: `Auto Scaling group ${size.name} activity ${status} ${message}` };
}

function startOf(activity: Json): string {
  return textAt(activity, 'StartTime') ?? '';
}

function endedInstance(facts: KeyFacts, { size }: ShortGroup): Failed | null {
  const ended = facts
    .list('aws/instance')
    .filter(({ value }) => groupOfInstance(value) === size.name)
    .find(({ value }) => CLIENT_ERROR.test(textAt(value, 'StateReason.Code') ?? ''));
  if (ended === undefined) return null;
  const id = textAt(ended.value, 'InstanceId') ?? '';
  const reason = textAt(ended.value, 'StateReason.Message') ?? '';
  const state = textAt(ended.value, 'State.Name') ?? '';
  return { failed: ended, words: `Instance ${id} of ${size.name} ${state}: ${reason}` };
}

function keyOf(
  facts: KeyFacts,
  { template }: ShortGroup,
): Pick<KeyTrouble, 'key' | 'policy' | 'isNamed'> {
  const name = (template?.value?.LaunchTemplateData?.BlockDeviceMappings ?? [])
    .map((mapping) => mapping.Ebs?.KmsKeyId ?? '')
    .find((id) => id !== '');
  const keys = facts.list('aws/kms-key');
  const named = keys.find(({ value }) => isKey(value, name ?? ''));
  const key = (name === undefined && keys.length === 1 ? keys[0] : named) ?? null;
  const policy = facts
    .list('aws/kms-key-policy')
    .find(({ value }) => key !== null && isKey(key.value, textAt(value, 'KeyId') ?? ''));
  return { key, policy: policy ?? null, isNamed: name !== undefined };
}

/** Keys are named by their id or their ARN. */
function isKey(key: KmsKey, name: string): boolean {
  return name !== '' && ((key.Arn ?? null) === name || (key.KeyId ?? null) === name);
}

/** The role that launches for an Auto Scaling group. */
export function launcherOf({ group }: ShortGroup, key: KmsKey): string {
  const [, partition = 'aws'] = (key.Arn ?? '').split(':');
  const account = textAt(group.value, 'AutoScalingGroupARN')?.split(':')[4] ?? '<account>';
  return (
    textAt(group.value, 'ServiceLinkedRoleARN') ??
    `arn:${partition}:iam::${account}:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling`
  );
}

/** What a role needs of the key of a volume that it launches with, each by one action. */
const NEEDED = ['kms:GenerateDataKeyWithoutPlaintext', 'kms:Decrypt', 'kms:CreateGrant'];

/** Actions that no statement of the key's policy allows the role; null when it cannot be read. */
export function missingActions(answer: Json, role: string): readonly string[] | null {
  const text = textAt(answer, 'Policy') ?? '';
  if (text.length > POLICY_CHARACTERS_MAX) return null;
  try {
    const given = at(JSON.parse(text) as Json, 'Statement');
    const statements = isObject(given) ? [given] : Array.isArray(given) ? given : null;
    if (statements === null) return null;
    const own = statements.filter((statement: PolicyStatement) => isFor(statement, role));
    return NEEDED.filter(
      (action) => !own.some((statement: PolicyStatement) => allows(statement, action)),
    );
  } catch {
    return null;
  }
}

function manyAt(value: PolicyStatement, path: string): readonly string[] {
  const one = textAt(value, path);
  return one === null ? listAt(value, path).map(String) : [one];
}

function isFor(statement: PolicyStatement, role: string): boolean {
  const principals = [...manyAt(statement, 'Principal'), ...manyAt(statement, 'Principal.AWS')];
  return principals.includes('*') || principals.includes(role);
}

/** A statement may name actions with a wildcard at their end: `kms:GenerateDataKey*`. */
function allows(statement: PolicyStatement, action: string): boolean {
  if (statement.Effect !== 'Allow') return false;
  return manyAt(statement, 'Action').some((pattern) => {
    const lower = pattern.toLowerCase();
    const isOpen = lower.endsWith('*');
    return isOpen
      ? action.toLowerCase().startsWith(lower.slice(0, -1))
      : action.toLowerCase() === lower;
  });
}
