import type { Instance, LaunchTemplateVersion } from '../evidence/aws/instance.ts';
import type { ScalingActivity } from '../evidence/aws/groups.ts';
import { textAt } from '../evidence/json.ts';
import type { Ask } from './asking.ts';

/** Keys that are looked at at most. */
const KEYS_MAX = 5;

/** Reasons behind which a key may stand: EC2 names the key's state, or says nothing of it. */
const KEY_TROUBLE =
  /Client\.InternalError|Client error on launch|InvalidKMSKey|KMS key|not authorized to perform: kms:/;
const KEY_ARN = /arn:aws[\w-]*:kms:[\w-]+:\d{12}:key\/[\w-]+/;

/** What tells which keys encrypt the volumes of machines that do not start. */
export interface LaunchAnswers {
  readonly instances: readonly Instance[];
  /** Of scaling activities. */
  readonly activities: readonly ScalingActivity[];
  /** Versions of launch templates in use. */
  readonly templates: readonly LaunchTemplateVersion[];
}

/** The keys of encrypted volumes, where a launch failed for a reason behind which a key may stand. */
export async function askKeys(ask: Ask, launches: LaunchAnswers): Promise<void> {
  const troubles = troublesOf(launches);
  if (troubles.length === 0) return;
  const named = [
    ...troubles.map((words) => KEY_ARN.exec(words)?.[0] ?? ''),
    ...launches.templates.flatMap(keysOfTemplate),
  ].filter((key) => key !== '');
  const keys = named.length === 0 ? await askDefaultKey(ask) : named;
  await Promise.all(
    ask.first([...new Set(keys)], KEYS_MAX, 'keys').flatMap((KeyId) => [
      ask({ service: 'kms', operation: 'DescribeKey', input: { KeyId } }),
      ask({
        service: 'kms',
        operation: 'GetKeyPolicy',
        input: { KeyId, PolicyName: 'default' },
        isOptional: true,
      }),
    ]),
  );
}

function troublesOf({ instances, activities }: LaunchAnswers): readonly string[] {
  const ended = instances.map(({ StateReason: reason }) =>
    [reason?.Code, reason?.Message].join(' '),
  );
  const tried = activities.map((one) => [one.StatusMessage, one.Description].join(' '));
  return [...ended, ...tried].filter((words) => KEY_TROUBLE.test(words));
}

function keysOfTemplate(version: LaunchTemplateVersion): readonly string[] {
  return (version.LaunchTemplateData?.BlockDeviceMappings ?? []).map(
    (mapping) => mapping.Ebs?.KmsKeyId ?? '',
  );
}

/** The key that encrypts volumes for which nobody names one. */
async function askDefaultKey(ask: Ask): Promise<readonly string[]> {
  const answers = await ask({ service: 'ec2', operation: 'GetEbsDefaultKmsKeyId', input: {} });
  return answers.map((answer) => textAt(answer, 'KmsKeyId') ?? '').filter((key) => key !== '');
}
