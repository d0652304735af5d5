import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptanceOf } from '../../src/domain/naming/acceptance.ts';
import type { NamingInput } from '../../src/domain/naming/input.ts';

const ID = 'i-0123456789abcdef0';
const OTHER = 'i-0fedcba9876543210';
const IP_NAME = 'ip-172-12-4-2.eu-west-1.compute.internal';

function external(controllerVersion: string | null, part: Partial<NamingInput> = {}): NamingInput {
  return {
    image: 'rhel',
    cloudProvider: { kind: 'external', controllerVersion },
    kubeletVersion: 'v1.33.1',
    instanceId: ID,
    privateDnsName: IP_NAME,
    providerId: null,
    clusterTag: true,
    ...part,
  };
}

const WITH_ID = { providerId: `aws:///eu-west-1a/${ID}` };
const NAME = 'node00.k8s.internal';

const TABLE: readonly (readonly [string, string, NamingInput, string, string])[] = [
  ['the private DNS name', IP_NAME, external('v1.33.4'), 'accepted', 'initialised'],
  ['the private DNS name, any version', IP_NAME, external(null), 'accepted', 'initialised'],
  ['another name, 1.29', NAME, external('v1.29.9'), 'refused', 'deleted-while-not-ready'],
  ['another name, 1.30', NAME, external('v1.30.0'), 'refused', 'kept-uninitialised'],
  ['another name, 1.34.3', NAME, external('v1.34.3'), 'refused', 'kept-uninitialised'],
  ['another name, 1.34.4', NAME, external('v1.34.4'), 'refused', 'unknown'],
  ['another name, 1.36', NAME, external('v1.36.1'), 'refused', 'unknown'],
  ['another name, 1.37', NAME, external('v1.37.0'), 'refused', 'deleted-while-not-ready'],
  ['another name, version not known', NAME, external(null), 'refused', 'unknown'],
  ['another name, version not readable', NAME, external('latest'), 'refused', 'unknown'],
  ['another name with providerID', NAME, external('v1.33.4', WITH_ID), 'accepted', 'initialised'],
  ['providerID, 1.24.2', NAME, external('v1.24.2', WITH_ID), 'accepted', 'initialised'],
  ['providerID, 1.24.1', NAME, external('v1.24.1', WITH_ID), 'refused', 'deleted-while-not-ready'],
  ['providerID, 1.23', NAME, external('v1.23.5', WITH_ID), 'unknown', 'unknown'],
  ['providerID, version not known', NAME, external(null, WITH_ID), 'unknown', 'unknown'],
  [
    'providerID of another machine',
    NAME,
    external('v1.33.4', { providerId: `aws:///eu-west-1a/${OTHER}` }),
    'another-instance',
    'unknown',
  ],
  [
    'the tag is missing',
    IP_NAME,
    external('v1.33.4', { clusterTag: false }),
    'refused',
    'kept-uninitialised',
  ],
  [
    'the tag is missing, with providerID',
    IP_NAME,
    external('v1.33.4', { clusterTag: false, ...WITH_ID }),
    'accepted',
    'initialised',
  ],
  [
    'EC2 has no name',
    NAME,
    external('v1.37.0', { privateDnsName: '' }),
    'refused',
    'deleted-while-not-ready',
  ],
  ['an instance id', ID, external('v1.33.4'), 'accepted', 'initialised'],
  ['an instance id, version not known', ID, external(null), 'unknown', 'unknown'],
  ['the id of another machine', OTHER, external('v1.33.4'), 'another-instance', 'unknown'],
  ['a resource name', `${ID}.ec2.internal`, external('v1.27.2'), 'accepted', 'initialised'],
  [
    'a resource name, 1.27.1',
    `${ID}.ec2.internal`,
    external('v1.27.1'),
    'refused',
    'kept-uninitialised',
  ],
  ['an instance id, 1.21', ID, external('v1.21.0'), 'refused', 'deleted-while-not-ready'],
  [
    'in-process provider, its own name',
    IP_NAME,
    external(null, { cloudProvider: { kind: 'in-tree' } }),
    'accepted',
    'initialised',
  ],
  [
    'in-process provider, another name, where providerID does not count',
    NAME,
    external(null, { cloudProvider: { kind: 'in-tree' }, ...WITH_ID }),
    'refused',
    'deleted-while-not-ready',
  ],
  [
    'no provider',
    NAME,
    external(null, { cloudProvider: { kind: 'none' } }),
    'nobody-asks',
    'nobody-asks',
  ],
  ['provider not known', NAME, external(null, { cloudProvider: null }), 'unknown', 'unknown'],
];

for (const [title, name, input, state, outcome] of TABLE) {
  test(`acceptance: ${title}`, () => {
    const found = acceptanceOf(name, input);
    assert.deepEqual([found.state, found.outcome], [state, outcome]);
    assert.ok(found.because.every(({ text, source }) => text.endsWith('.') && source !== ''));
  });
}

test('images of EKS and OpenShift write the providerID that decides', () => {
  for (const image of ['al2', 'al2023', 'bottlerocket', 'openshift4'] as const) {
    const { providerId: _, ...input } = external('v1.33.4', { image });
    assert.equal(acceptanceOf(NAME, input).state, 'accepted', image);
  }
  const { providerId: _, ...input } = external('v1.33.4', { image: 'ubuntu' });
  assert.equal(acceptanceOf(NAME, input).state, 'unknown');
  assert.equal(acceptanceOf(IP_NAME, input).state, 'accepted');
});

test('a look-up by name holds only with the cluster tag and says when the tag was not seen', () => {
  const { clusterTag: _, ...input } = external('v1.33.4');
  assert.match(acceptanceOf(IP_NAME, input).provided.join(), /cluster tag/);
  assert.deepEqual(acceptanceOf(IP_NAME, external('v1.33.4')).provided, []);
});

test('a private DNS name that was not seen leaves it open', () => {
  const { privateDnsName: _, ...input } = external('v1.33.4');
  assert.equal(acceptanceOf(NAME, input).state, 'unknown');
  assert.equal(acceptanceOf(NAME, { ...input, ...WITH_ID }).state, 'accepted');
});
