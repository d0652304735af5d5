import { linkOf, nameBy } from './links.ts';
import { type Made, type Maker, ownedBy, type Owning } from './made.ts';
import { textOf } from './resource.ts';

const KEY = { types: ['aws_kms_key'], by: 'arn' };

/** Both name a key by its id or its ARN; one that is known after apply is its address in either. */
const OF_KEY: Owning = {
  types: ['aws_kms_grant', 'aws_kms_key_policy'],
  ownerOf: ({ directory }, one) => linkOf(directory, one, 'key_id', KEY),
};

/** A key with its policy, unless the plan gives others the right to it by a grant. */
export const kmsKey: Maker = (plan, resource) => {
  const id = nameBy(resource, 'arn');
  const made: Made[] = [
    { kind: 'aws/kms-key', answer: { KeyId: id, Arn: id, KeyState: 'Enabled' } },
  ];
  const policy = textOf(resource, 'policy');
  const isGranted = ownedBy(plan, id, OF_KEY).length > 0;
  if (typeof policy !== 'string' || isGranted) return made;
  return [...made, { kind: 'aws/kms-key-policy', answer: { KeyId: id, Policy: policy } }];
};
