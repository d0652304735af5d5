import {
  clear,
  defineCause,
  found,
  type Match,
  matched,
  step,
  type ViewOf,
} from '../../../diagnosis/cause.ts';
import { definite } from '../../../diagnosis/sign.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { filledGroups, groupOfInstance } from '../../../domain/instances/launch.ts';
import { keyTroubles } from '../../../domain/instances/volume-keys.ts';

const LAUNCHERS = [
  'aws-message',
  'terraform',
  'client-output',
  'karpenter',
  'node-claim',
  'object',
  'event',
] as const;

/** The key of the encrypted root volume is disabled, pending deletion or gone. */
const cause = defineCause({
  id: 'kms-key-unusable',
  stage: 'launched',
  title: 'the KMS key of the encrypted volume is disabled, pending deletion or gone',
  scope: 'group',
  signs: {
    keyState: definite(
      LAUNCHERS,
      /\bInvalidKMSKey\.(?:InvalidState|NotFound|KmsKeyNotFound)\b|KMS key provided is in an incorrect state/,
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
    'kms-key-access-missing',
    'early-instance-termination',
    'instance-stopped-or-terminated',
    'karpenter-registration-timeout',
    'karpenter-launch-timeout',
    'openshift-machine-failed',
    'node-creation-failure-verdict',
  ],
  summary: ({ key, state, group }) =>
    key === undefined
      ? 'The KMS key that encrypts the root volume is not usable (disabled, pending deletion or gone), so every instance is terminated seconds after launch.'
      : `The KMS key ${key}, which encrypts the volumes of the Auto Scaling group ${group ?? ''}, is ${state ?? 'not usable'}, so every instance is terminated seconds after launch.`,
  remedy: ({ key }) => [
    step(
      'Find the key (of the template, the image’s snapshot or the account’s default) and its state.',
      `aws ec2 get-ebs-default-kms-key-id; aws kms describe-key --key-id ${key ?? '<key>'} --query KeyMetadata.[KeyState,DeletionDate]`,
    ),
    step(
      'Make it usable again (a key pending deletion needs cancel-key-deletion first).',
      `aws kms cancel-key-deletion --key-id ${key ?? '<key>'}; aws kms enable-key --key-id ${key ?? '<key>'}`,
    ),
    step(
      'Or let new volumes use another key, then recreate the node group.',
      'aws ec2 modify-ebs-default-kms-key-id --kms-key-id <other-key>',
    ),
  ],
  decide: step(
    'Read the key’s state.',
    'aws kms describe-key --key-id <key> --query KeyMetadata.KeyState',
  ),
  page: {
    why: 'An encrypted volume cannot be created with a key that is disabled, pending deletion, or deleted with its account or stack. The default key of the region, the template or the image’s snapshot can be that key.',
    prevent:
      'Look for volumes, snapshots and templates that name a key before scheduling its deletion.',
    notThis:
      'Here the reason names the key’s state. A bare Client error on launch is kms-key-access-missing.',
    alsoKnownAs: [
      'Client.InvalidKMSKey.InvalidState: The KMS key provided is in an incorrect state',
    ],
    refs: [
      'https://github.com/hashicorp/terraform-provider-aws/issues/39904',
      'https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html',
    ],
  },
});

export default matched(cause, (view) => {
  const settled = clearWhenFilled(view, ['keyState']) ?? matchKey(view);
  if (settled !== null) return settled;
  const filled = filledGroups(view.list('aws/auto-scaling-group'));
  const all = view
    .list('aws/instance')
    .filter(({ value }) => value.StateReason?.Code?.startsWith('Client.InvalidKMSKey') === true);
  const ended = all.find(({ value }) => !filled.has(groupOfInstance(value) ?? ''));
  if (ended === undefined) return all.length > 0 && view.sign('keyState') === null ? clear : null;
  const instance = ended.value.InstanceId ?? '';
  const reason = ended.value.StateReason?.Message ?? 'Client.InvalidKMSKey';
  return found({ instance }, [view.quote(ended, `Instance ${instance} terminated: ${reason}`)]);
});

type Own = ViewOf<typeof cause>;

/** The key's own state, where a launch failed for a reason behind which a key may stand. */
function matchKey(view: Own): Match | null {
  const troubles = keyTroubles(view);
  for (const { short, failed, words, key, isNamed } of troubles) {
    const state = key?.value.KeyState ?? null;
    if (key === null || state === null || state === 'Enabled') continue;
    const arn = key.value.Arn ?? '';
    const deleted = key.value.DeletionDate ?? null;
    const ends = deleted === null ? '' : `, DeletionDate ${deleted}`;
    return found(
      { group: short.size.name, key: arn, state },
      [view.quote(failed, words), view.quote(key, `KMS key ${arn} KeyState ${state}${ends}`)],
      isNamed || view.sign('keyState') !== null ? 'definite' : 'likely',
    );
  }
  const isUsable = troubles.every(({ key }) => key?.value.KeyState === 'Enabled');
  return troubles.length > 0 && isUsable && view.sign('keyState') === null ? clear : null;
}
