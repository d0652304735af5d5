import { linkOf, nameBy } from './links.ts';
import { type Made, type Maker, ofType } from './made.ts';
import { textOf } from './resource.ts';

const KEY = { types: ['aws_kms_key'], by: 'arn' };

/** A key with its policy, unless the plan gives others the right to it by a grant. */
export const kmsKey: Maker = (plan, resource) => {
  const id = nameBy(resource, 'arn');
  const made: Made[] = [
    { kind: 'aws/kms-key', answer: { KeyId: id, Arn: id, KeyState: 'Enabled' } },
  ];
  const policy = textOf(resource, 'policy');
  const isGranted = ofType(plan, 'aws_kms_grant', 'aws_kms_key_policy').some(
    (one) => linkOf(plan.directory, one, 'key_id', KEY) !== null,
  );
  if (typeof policy !== 'string' || isGranted) return made;
  return [...made, { kind: 'aws/kms-key-policy', answer: { KeyId: id, Policy: policy } }];
};
