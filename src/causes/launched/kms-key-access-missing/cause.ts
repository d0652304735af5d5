import { defineCause, found, type Match, type View } from '../../../diagnosis/cause.ts';
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

/** The root volume is encrypted with a key that the launching role may not use. */
export default defineCause({
  id: 'kms-key-access-missing',
  stage: 'launched',
  title: 'the launching role may not use the KMS key of the encrypted volume',
  scope: 'group',
  signs: {
    clientError: {
      in: LAUNCHERS,
      anchors: ['Client error on launch'],
      pattern: /Client\.InternalError: Client error on launch/,
      weight: 'likely',
    },
    keyInaccessible: {
      in: LAUNCHERS,
      anchors: ['encrypted with an inaccessible'],
      pattern: /volumes? (?:are|is) encrypted with an inaccessible (?:AWS )?KMS key/,
      weight: 'likely',
    },
    keyDenied: {
      in: LAUNCHERS,
      anchors: ['not authorized to perform: kms:'],
      pattern:
        /not authorized to perform: (?<action>kms:(?:CreateGrant|Decrypt|DescribeKey|GenerateDataKey\w*|ReEncrypt\w*))\b(?:.*?(?<key>arn:aws[\w-]*:kms:[\w-]+:\d+:key\/[\w-]+))?/,
      weight: 'likely',
      strict: true,
    },
  },
  needs: ['aws/instance', 'aws/auto-scaling-group'],
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
  match: (view) =>
    clearWhenFilled(view, ['clientError', 'keyInaccessible', 'keyDenied']) ?? matchState(view),
  summary: ({ instance, key }) =>
    `${instance === undefined ? 'The instances are' : `Instance ${instance} was`} terminated seconds after launch with a client error: the launching role has no grant for the volume’s KMS key${key === undefined ? '' : ` ${key}`}.`,
  remedy: ({ key }) => [
    {
      text: 'See which key encrypts new volumes, and whether it is enabled.',
      command: `aws ec2 get-ebs-default-kms-key-id; aws kms describe-key --key-id ${key ?? '<key>'} --query KeyMetadata.[KeyState,KeyManager,Arn]`,
    },
    {
      text: 'Let the Auto Scaling role use the key (for Karpenter or a machine controller: name its role in the key policy instead).',
      command: `aws kms create-grant --key-id ${key ?? '<key>'} --grantee-principal arn:aws:iam::<account>:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling --operations Encrypt Decrypt ReEncryptFrom ReEncryptTo GenerateDataKey GenerateDataKeyWithoutPlaintext DescribeKey CreateGrant`,
    },
  ],
  decide: {
    text: 'Read the reason of the termination and the key’s policy.',
    command:
      'aws ec2 describe-instances --instance-ids <instance> --query Reservations[].Instances[].StateReason; aws kms get-key-policy --key-id <key> --policy-name default --output text',
  },
  page: {
    why: 'EC2 creates the encrypted volume in the name of the role that launches. If the key’s policy does not know that role, the instance goes from pending to terminated within seconds, and its console stays empty.',
    prevent:
      'When encryption by default is switched on with an own key, add the Auto Scaling service-linked role and every controller that launches to its policy.',
    notThis:
      'The reason does not name KMS: a key that is disabled or pending deletion is kms-key-unusable, and says so. Reasons that begin with Server. are early-instance-termination. A failed bootstrap leaves an instance that runs.',
    alsoKnownAs: ['Client.InternalError: Client error on launch'],
    refs: [
      'https://github.com/kubernetes/kops/issues/11545',
      'https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html',
    ],
  },
});

function matchState(
  view: View<
    'aws/instance' | 'aws/auto-scaling-group',
    'clientError' | 'keyInaccessible' | 'keyDenied'
  >,
): Match | null {
  const filled = filledGroups(view.list('aws/auto-scaling-group'));
  const failed = view
    .list('aws/instance')
    .find(
      (entry) =>
        textAt(entry.value, 'StateReason.Code') === 'Client.InternalError' &&
        textAt(entry.value, 'State.Name') === 'terminated' &&
        !filled.has(groupOfInstance(entry.value) ?? ''),
    );
  if (failed === undefined) return null;
  const instance = textAt(failed.value, 'InstanceId') ?? '';
  const reason = textAt(failed.value, 'StateReason.Message') ?? 'Client.InternalError';
  return found(
    { instance },
    [view.quote(failed, `Instance ${instance} terminated: ${reason}`)],
    'likely',
  );
}
