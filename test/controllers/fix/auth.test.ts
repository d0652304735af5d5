/** A node role is let in where its cluster reads it: by an access entry, or in aws-auth. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AuthOrder, fixAuth } from '../../../src/controllers/fix/auth/fix-auth.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { EDITOR, ROLE, type Scene, scene } from './scene.ts';

const ORDER: AuthOrder = {
  id: 'auth-1',
  isDryRun: false,
  why: { kind: 'finding', name: 'access-entry-missing', text: 'No entry lets the role in.' },
  cluster: 'shop',
  role: ROLE,
  type: 'linux',
  place: null,
  editor: EDITOR,
};

/** AWS with a cluster of a mode, and entries that are made there. */
function cluster(mode: string | null, entry: JsonObject | null = null): Scene {
  const at = scene();
  const accessConfig = mode === null ? {} : { accessConfig: { authenticationMode: mode } };
  at.aws.answer('eks:DescribeCluster', () => [{ cluster: { name: 'shop', ...accessConfig } }]);
  at.aws.answer('eks:DescribeAccessEntry', () => {
    const made = at.calls.find(({ operation }) => operation === 'CreateAccessEntry')?.input;
    const found = made ?? entry;
    if (found === null) throw new PortError({ failure: 'not-found', message: 'There is none.' });
    return [{ accessEntry: found }];
  });
  at.aws.answer('eks:ListAssociatedAccessPolicies', () => [
    {
      associatedAccessPolicies: at.calls
        .filter(({ operation }) => operation === 'AssociateAccessPolicy')
        .map(({ input }) => input),
    },
  ]);
  return at;
}

function fix(at: Scene, change: Partial<AuthOrder> = {}): Promise<readonly FixStep[]> {
  return fixAuth({ ...ORDER, ...change }, at.tools(change.isDryRun));
}

async function outcomes(at: Scene, change: Partial<AuthOrder> = {}): Promise<readonly string[]> {
  return (await fix(at, change)).map(({ outcome }) => outcome);
}

function operations({ calls }: Scene): readonly string[] {
  return calls.map(({ operation }) => operation);
}

describe('the authentication mode says where a role is let in', () => {
  for (const [mode, place, inMap, inEntries] of [
    [null, null, true, false],
    ['CONFIG_MAP', null, true, false],
    ['API_AND_CONFIG_MAP', null, false, true],
    ['API_AND_CONFIG_MAP', 'aws-auth', true, false],
    ['API', null, false, true],
  ] as const)
    test(`${mode ?? 'none'}, ${place ?? 'as usual'}`, async () => {
      const at = cluster(mode);
      assert.deepEqual(await outcomes(at, { place }), ['written']);
      assert.equal((await at.mapRoles()) !== null, inMap);
      assert.equal(at.calls.length > 0, inEntries);
    });

  for (const [mode, place] of [
    ['API', 'aws-auth'],
    ['CONFIG_MAP', 'access-entry'],
    ['SOMETHING_NEW', null],
  ] as const)
    test(`${mode} refuses ${place ?? 'everything'}`, async () => {
      const at = cluster(mode);
      assert.deepEqual(await outcomes(at, { place }), ['refused']);
      assert.equal(await at.mapRoles(), null);
      assert.deepEqual(at.calls, []);
    });

  test('without an answer nothing is written, unless a place was named', async () => {
    const at = cluster('CONFIG_MAP');
    at.aws.refuse('eks:DescribeCluster', 'denied');
    assert.deepEqual(await outcomes(at), ['refused']);
    assert.deepEqual(await outcomes(at, { place: 'aws-auth' }), ['written']);
  });

  test('a kubeconfig of another cluster of EKS is refused', async () => {
    const at = cluster('CONFIG_MAP');
    const endpoint = 'https://AAAA.gr7.us-west-2.eks.amazonaws.com';
    at.aws.answer('eks:DescribeCluster', () => [{ cluster: { endpoint } }]);
    const server = 'https://bbbb.gr7.us-west-2.eks.amazonaws.com';
    Object.defineProperty(at.api, 'server', { value: server });
    const [step] = await fix(at);
    assert.equal(step?.outcome, 'refused');
    assert.match(step.why, /another cluster than shop/);
  });
});

describe('an access entry', () => {
  test('is of the type of its nodes, with the path of the role', async () => {
    const at = cluster('API');
    const role = 'arn:aws:iam::111122223333:role/team/nodes';
    await fix(at, { role, type: 'windows' });
    assert.deepEqual(at.calls[0]?.input, {
      clusterName: 'shop',
      principalArn: role,
      type: 'EC2_WINDOWS',
    });
  });

  test('of another type is left, with the commands that replace it', async () => {
    const at = cluster('API', { type: 'STANDARD' });
    const [step] = await fix(at);
    assert.equal(step?.outcome, 'refused');
    assert.match(step.commands.join('\n'), /delete-access-entry[^]+--type EC2_LINUX/);
    assert.deepEqual(at.calls, []);
  });

  test('that is there needs nothing', async () => {
    assert.deepEqual(await outcomes(cluster('API', { type: 'EC2_LINUX' })), ['not-needed']);
  });

  test('is not made in a dry run', async () => {
    const at = cluster('API');
    assert.deepEqual(await outcomes(at, { isDryRun: true }), ['would-write']);
    assert.deepEqual(at.calls, []);
  });

  test('that may not be read is not made', async () => {
    const at = cluster('API');
    at.aws.refuse('eks:DescribeAccessEntry', 'denied');
    assert.deepEqual(await outcomes(at), ['refused']);
    assert.deepEqual(at.calls, []);
  });

  test('whose answer is lost is read, and not made twice', async () => {
    const at = cluster('API');
    at.lost.push(fault('unclear', 'No answer came.'));
    assert.deepEqual(await outcomes(at), ['written']);
    assert.deepEqual(operations(at), ['CreateAccessEntry']);
  });

  test('that somebody else makes at the same time is taken as it is', async () => {
    const at = cluster('API');
    at.lost.push(new PortError({ failure: 'already-exists', message: 'It is there.' }));
    assert.deepEqual(await outcomes(at), ['not-needed']);
  });

  test('of Auto Mode gets its policy, also by a run after one that was killed between', async () => {
    const at = cluster('API');
    at.lost.push(new Error('killed') as PortError);
    await assert.rejects(fix(at, { type: 'auto' }), /killed/);
    assert.deepEqual(await outcomes(at, { type: 'auto' }), ['not-needed', 'written']);
    assert.deepEqual(operations(at), ['CreateAccessEntry', 'AssociateAccessPolicy']);
    assert.deepEqual(await outcomes(at, { type: 'auto' }), ['not-needed', 'not-needed']);
  });
});

test('anything but a role is refused before anything is asked', async () => {
  const at = cluster('API');
  assert.deepEqual(await outcomes(at, { role: 'arn:aws:iam::111122223333:role/*' }), ['refused']);
  assert.equal(at.aws.requests().size, 0);
});
