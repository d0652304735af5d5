import {
  cannotSay,
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { phrase, sentence } from '../../../diagnosis/sentence.ts';
import { definite, likely } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { filledGroups, groupOfInstance } from '../../../domain/instances/launch.ts';
import { keyTroubles, launcherOf, missingActions } from '../../../domain/instances/volume-keys.ts';
import { foreseen, NOT_SHOWN } from '../../../diagnosis/foresight.ts';
import { lookedUp } from '../../../domain/planned/indexed.ts';
import { KEY_POLICIES, KEYS } from '../../../domain/planned/lookups.ts';
import type { KmsKeyPolicy } from '../../../evidence/aws/iam.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The root volume is encrypted with a key that the launching role may not use. */
const cause = defineCause({
  id: 'kms-key-access-missing',
  stage: 'launched',
  title: 'the launching role may not use the KMS key of the encrypted volume',
  scope: 'group',
  signs: {
    clientError: likely(LAUNCHERS, /Client\.InternalError: Client error on launch/),
    keyInaccessible: likely(
      LAUNCHERS,
      /volumes? (?:are|is) encrypted with an inaccessible (?:AWS )?KMS key/,
    ),
    keyDenied: likely(
      LAUNCHERS,
      /not authorized to perform: (?<action>kms:(?:CreateGrant|Decrypt|DescribeKey|GenerateDataKey\w*|ReEncrypt\w*))\b(?:.*?(?<key>arn:aws[\w-]*:kms:[\w-]+:\d+:key\/[\w-]+))?/,
      { anchors: ['not authorized to perform: kms:'], strict: true },
    ),
    // Who launches for a group, whichever program passes the line on.
    launcherDenied: definite(
      [...LAUNCHERS, 'unknown'],
      /\bassumed-role\/AWSServiceRoleFor(?:AutoScaling|EC2Spot)\w*\/\S{1,64} is not authorized to perform: (?<action>kms:\w{4,40})(?: on resource: (?<key>arn:aws[\w-]{0,20}:kms:\S{1,200}?)(?= |$))?/,
      { anchors: ['assumed-role/AWSServiceRoleFor'] },
    ),
    // CloudTrail's words for it, as people pass them on.
    keyDeniedInTrail: likely(
      LAUNCHERS,
      /[Aa]ccess ?[Dd]enied.{0,120}(?<action>GenerateDataKeyWithoutPlain[Tt]ext|\bkms:CreateGrant)\b|(?<action2>GenerateDataKeyWithoutPlain[Tt]ext)\b.{0,120}[Aa]ccess ?[Dd]enied/,
      { anchors: ['GenerateDataKeyWithoutPlain', 'kms:CreateGrant'] },
    ),
    toldNoGrant: likely(
      ['client-output', 'unknown', 'terraform'],
      /\bAWSServiceRoleForAutoScaling\b.{0,60}\b(?:no|(?:did|do|does)(?: not|n't) have|without|lack(?:s|ed)?|missing)\b.{0,40}\b(?:grant|access|permissions?|rights?|key)\b|\b(?:[Cc]ustomer[ -]managed|CMK|KMS) keys?\b.{0,60}\b(?:no grant|(?:did|do|does)(?: not|n't) (?:allow|grant|permit)|key policy (?:lacks|does not))\b.{0,60}\b(?:[Aa]uto ?[Ss]caling|EC2|Karpenter|service-linked)/,
      {
        isTold: true,
        anchors: [
          'AWSServiceRoleForAutoScaling',
          'ustomer managed',
          'ustomer-managed',
          'KMS key',
          'CMK key',
        ],
      },
    ),
  },
  needs: [
    'aws/instance',
    'aws/auto-scaling-group',
    'aws/launch-template-version',
    'aws/scaling-activity',
    'aws/kms-key',
    'aws/kms-key-policy',
  ],
  symptoms: [],
  withdrawnBy: [],
  blocksAbove: false,
  explains: [
    'early-instance-termination',
    'instance-stopped-or-terminated',
    'karpenter-registration-timeout',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ instance, key, group, role, missing }) =>
    missing !== undefined
      ? `The policy of the KMS key ${key ?? ''} does not allow ${role ?? 'the launching role'} ${missing}, so the instances of the Auto Scaling group ${group ?? ''} are terminated seconds after launch.`
      : sentence`${instance === undefined ? 'The instances are' : `Instance ${instance} was`} terminated seconds after launch with a client error: the launching role has no grant for the volume’s KMS key${phrase` ${key}`}.`,
  remedy: ({ key, role }) => [
    step(
      'See which key encrypts new volumes, and whether it is enabled.',
      `aws ec2 get-ebs-default-kms-key-id; aws kms describe-key --key-id ${key ?? '<key>'} --query KeyMetadata.[KeyState,KeyManager,Arn]`,
    ),
    step(
      'Let the Auto Scaling role use the key (for Karpenter or a machine controller: name its role in the key policy instead).',
      `aws kms create-grant --key-id ${key ?? '<key>'} --grantee-principal ${role ?? 'arn:aws:iam::<account>:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling'} --operations Encrypt Decrypt ReEncryptFrom ReEncryptTo GenerateDataKey GenerateDataKeyWithoutPlaintext DescribeKey CreateGrant`,
    ),
  ],
  decide: step(
    'Read the reason of the termination and the key’s policy.',
    'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].StateReason; aws kms get-key-policy --key-id <key> --policy-name default --output text',
  ),
  page: {
    why: 'EC2 creates the encrypted volume in the name of the role that launches. If the key’s policy does not know that role, the instance goes from pending to terminated within seconds, and its console stays empty.',
    prevent:
      'When encryption by default is switched on with a customer-managed key, add the Auto Scaling service-linked role and every controller that launches to its policy.',
    notThis:
      'The reason does not name KMS: a key that is disabled or pending deletion is kms-key-unusable, and says so. Reasons that begin with Server. are early-instance-termination. A failed bootstrap leaves an instance that runs.',
    alsoKnownAs: ['Client.InternalError: Client error on launch'],
    refs: [
      'https://github.com/kubernetes/kops/issues/11545',
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html',
    ],
  },
});

const judged = matched(
  cause,
  (view) =>
    clearWhenFilled(view, ['clientError', 'keyInaccessible', 'keyDenied']) ??
    matchPolicy(view) ??
    otherKey(view) ??
    matchState(view),
);

type Own = ViewOf<typeof cause>;

/** What the policy of the key says, where it was read; grants, which it does not show, may add. */
function matchPolicy(view: Own): Match | null {
  const troubles = keyTroubles(view);
  let isCleared = troubles.length > 0;
  for (const { short, failed, words, key, policy } of troubles) {
    if (key?.value.KeyState !== 'Enabled') {
      isCleared &&= key !== null;
      continue;
    }
    const role = launcherOf(short, key.value);
    const missing = policy === null ? null : missingActions(policy.value, role);
    if (missing === null || policy === null) {
      isCleared = false;
      continue;
    }
    if (missing.length === 0) continue;
    const arn = key.value.Arn ?? '';
    const said = `policy of KMS key ${arn}: no statement allows ${role} ${missing.join(', ')}`;
    const details = { group: short.size.name, key: arn, role, missing: missing.join(', ') };
    return found(details, [view.quote(failed, words), view.quote(policy, said)], 'likely');
  }
  return isCleared && view.sign('keyDenied') === null ? clear : null;
}

/** A key that cannot be used ends launches with the same words, whoever may use it. */
function otherKey(view: Own): Match | null {
  const unusable = view.list('aws/kms-key').find(({ value }) => value.KeyState !== 'Enabled');
  if (unusable === undefined || view.sign('keyDenied') !== null) return null;
  if (keyTroubles(view).some(({ key }) => key !== null)) return null;
  const { KeyId: id, Arn: arn, KeyState: state } = unusable.value;
  return cannotSay({
    reason: 'not-in-source',
    detail: `KMS key ${arn ?? id ?? ''} is ${state ?? 'in an unknown state'}, and which group launches with it is not shown`,
    collect: 'aws autoscaling describe-scaling-activities --auto-scaling-group-name <group>',
  });
}

function matchState(view: Own): Match | null {
  const filled = filledGroups(view.list('aws/auto-scaling-group'));
  const all = view
    .list('aws/instance')
    .filter(
      ({ value }) =>
        value.StateReason?.Code === 'Client.InternalError' && value.State?.Name === 'terminated',
    );
  const failed = all.find(({ value }) => !filled.has(groupOfInstance(value) ?? ''));
  const signs = (['clientError', 'keyInaccessible', 'keyDenied'] as const).map((name) =>
    view.sign(name),
  );
  if (failed === undefined)
    return all.length > 0 && signs.every((sighting) => sighting === null) ? clear : null;
  const instance = failed.value.InstanceId ?? '';
  const reason = failed.value.StateReason?.Message ?? 'Client.InternalError';
  return found(
    { instance },
    [view.quote(failed, `Instance ${instance} terminated: ${reason}`)],
    'likely',
  );
}

/** Auto Scaling launches with a role of its own, which every account has by this name. */
const LAUNCHER = 'AWSServiceRoleForAutoScaling';

/** The launching role as the policy names it, else what nobody in the policy is. */
function plannedLauncher({ Policy: policy }: KmsKeyPolicy): string {
  const named = (policy?.Statement ?? [])
    .flatMap(({ Principal: principal }) => principal['AWS'] ?? [])
    .find((arn) => arn.includes(`/${LAUNCHER}`));
  return named ?? LAUNCHER;
}

export default foreseen(
  judged,
  (plan, group) => {
    const disks = group.template?.value.LaunchTemplateData?.BlockDeviceMappings ?? [];
    const ids = disks.map(({ Ebs: disk }) => disk?.KmsKeyId ?? '').filter((id) => id !== '');
    const [id, ...others] = new Set(ids);
    const [key] = lookedUp(plan, KEYS, id);
    const [policy] = lookedUp(plan, KEY_POLICIES, id);
    // Others may have granted the role a key that exists already.
    if (key?.change !== 'create' || policy === undefined || others.length > 0) return NOT_SHOWN;
    const missing = missingActions(policy.value, plannedLauncher(policy.value));
    if (missing === null) return NOT_SHOWN;
    if (missing.length === 0) return clear;
    return found(
      { key: key.address, role: LAUNCHER, missing: missing.join(', '), group: group.name },
      [
        plan.quote(key, `no statement of its policy allows ${LAUNCHER} ${missing.join(', ')}`),
        plan.quote(group.template ?? group.fact, `volumes of ${group.name} are encrypted with it`),
      ],
      'likely',
    );
  },
  {
    summary: ({ key, role, missing, planned }) =>
      `The policy of ${key ?? 'the KMS key'} does not allow ${role ?? ''} ${missing ?? ''}, so the instances of ${planned ?? 'the group'} will be terminated seconds after launch.`,
    remedy: ({ key, role }) => [
      step(
        `Let the service-linked role ${role ?? ''} use the key in the policy of ${key ?? 'the aws_kms_key'}: kms:Encrypt, Decrypt, ReEncrypt*, GenerateDataKey*, DescribeKey, and kms:CreateGrant.`,
      ),
      step('Or give it an aws_kms_grant.'),
    ],
  },
);
