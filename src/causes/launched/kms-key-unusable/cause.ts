import { defineCause, found } from '../../../diagnosis/cause.ts';
import { clearWhenFilled } from '../../../diagnosis/filled-groups.ts';
import { textAt } from '../../../evidence/json.ts';
import { filledGroups, groupOfInstance } from '../../../evidence/launch.ts';

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
export default defineCause({
  id: 'kms-key-unusable',
  stage: 'launched',
  title: 'the KMS key of the encrypted volume is disabled, pending deletion or gone',
  scope: 'group',
  signs: {
    keyState: {
      in: LAUNCHERS,
      anchors: ['InvalidKMSKey', 'KMS key provided is in an incorrect state'],
      pattern:
        /\bInvalidKMSKey\.(?:InvalidState|NotFound|KmsKeyNotFound)\b|KMS key provided is in an incorrect state/,
      weight: 'definite',
    },
  },
  needs: ['aws/instance', 'aws/auto-scaling-group'],
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
  match(view) {
    const settled = clearWhenFilled(view, ['keyState']);
    if (settled !== null) return settled;
    const filled = filledGroups(view.list('aws/auto-scaling-group'));
    const ended = view
      .list('aws/instance')
      .find(
        (entry) =>
          textAt(entry.value, 'StateReason.Code')?.startsWith('Client.InvalidKMSKey') === true &&
          !filled.has(groupOfInstance(entry.value) ?? ''),
      );
    if (ended === undefined) return null;
    const instance = textAt(ended.value, 'InstanceId') ?? '';
    const reason = textAt(ended.value, 'StateReason.Message') ?? 'Client.InvalidKMSKey';
    return found({ instance }, [view.quote(ended, `Instance ${instance} terminated: ${reason}`)]);
  },
  summary: () =>
    'The KMS key that encrypts the root volume is not usable (disabled, pending deletion or gone), so every instance is terminated seconds after launch.',
  remedy: () => [
    {
      text: 'Find the key (of the template, the image’s snapshot or the account’s default) and its state.',
      command:
        'aws ec2 get-ebs-default-kms-key-id; aws kms describe-key --key-id <key> --query KeyMetadata.[KeyState,DeletionDate]',
    },
    {
      text: 'Make it usable again (a key pending deletion needs cancel-key-deletion first).',
      command: 'aws kms cancel-key-deletion --key-id <key>; aws kms enable-key --key-id <key>',
    },
    {
      text: 'Or let new volumes use another key, then recreate the node group.',
      command: 'aws ec2 modify-ebs-default-kms-key-id --kms-key-id <other-key>',
    },
  ],
  decide: {
    text: 'Read the key’s state.',
    command: 'aws kms describe-key --key-id <key> --query KeyMetadata.KeyState',
  },
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
