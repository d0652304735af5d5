import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Image } from '../../evidence/aws/instance.ts';
import type { Json } from '../../evidence/json.ts';
import { contentsOf, planOf } from './testing.ts';

function lookedUp(type: string, values: Json): Json {
  const address = `data.${type}.image`;
  const resources = [{ address, mode: 'data', type, name: 'image', values }];
  return { values: { root_module: { resources } } };
}

function imageOf(type: string, values: Json): Partial<Image> | undefined {
  const { facts } = contentsOf(planOf([], { prior_state: lookedUp(type, values) }));
  const fact = facts.find(({ kind }) => kind === 'aws/image');
  if (fact === undefined) return undefined;
  const { ImageId, Name, Architecture } = fact.value as Image;
  return { ImageId, Name, Architecture };
}

const EKS = '/aws/service/eks/optimized-ami';
const ID = 'ami-0123456789abcdef0';

describe('a parameter of AWS names the image that it holds', () => {
  for (const [path, name, architecture] of [
    [
      `${EKS}/1.33/amazon-linux-2023/arm64/standard/recommended/image_id`,
      'amazon-eks-node-al2023-arm64-standard-1.33',
      'arm64',
    ],
    [`${EKS}/1.30/amazon-linux-2/recommended/image_id`, 'amazon-eks-node-1.30', 'x86_64'],
    [
      `${EKS}/1.30/amazon-linux-2-arm64/recommended/image_id`,
      'amazon-eks-arm64-node-1.30',
      'arm64',
    ],
    [
      '/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id',
      'bottlerocket-aws-k8s-1.33-x86_64',
      'x86_64',
    ],
    [
      '/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.33/image_id',
      'Windows_Server-2022-English-Core-EKS_Optimized-1.33',
      'x86_64',
    ],
  ] as const)
    test(path, () => {
      const image = imageOf('aws_ssm_parameter', { name: path, value: ID });
      assert.deepEqual(image, { ImageId: ID, Name: name, Architecture: architecture });
    });

  test('and no other parameter does', () => {
    const values = { name: '/team/password', value: 'hunter2' };
    assert.equal(imageOf('aws_ssm_parameter', values), undefined);
  });
});

test('an image that is looked up has its own name and architecture', () => {
  const values = { id: ID, name: 'team-node-7', architecture: 'arm64' };
  const image = { ImageId: ID, Name: 'team-node-7', Architecture: 'arm64' };
  assert.deepEqual(imageOf('aws_ami', values), image);
});
