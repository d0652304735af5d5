/** `rollcall fix auth` with access entries: the real SDK, a real API server, and EKS on loopback. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { FixDocument } from '../../src/controllers/fix/document.ts';
import { emptyHome, endOf, type Run, rollcall, startRollcall } from '../live/rollcall.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import {
  CALLER,
  deletedEvent,
  type EksEntries,
  type Fault,
  REFUSALS,
  startEksEntries,
} from './eks-entries.ts';
import type { KubeObject } from './kube-client.ts';
import { awsEnvironment } from './moto.ts';
import { CONTROL_PLANE, missing } from './parts.ts';

const skip = missing(...CONTROL_PLANE);
const ROLE = 'arn:aws:iam::123456789012:role/team/nodes';
const AWS_AUTH = '/api/v1/namespaces/kube-system/configmaps/aws-auth';
const folder = mkdtempSync(join(tmpdir(), 'rollcall-entries-'));
let plane: ControlPlane;
let eks: EksEntries;
let runs = 0;

before(async () => {
  if (skip !== false) return;
  [plane, eks] = await Promise.all([startControlPlane(), startEksEntries()]);
});
beforeEach(() => {
  if (skip === false) eks.reset();
});
after(async () => {
  rmSync(folder, { recursive: true });
  if (skip !== false) return;
  eks.stop();
  await plane.stop();
});

function surroundings(): Readonly<Record<string, string>> {
  const env = { ...emptyHome(folder, 'home'), ...awsEnvironment(eks.url) };
  return { ...env, KUBECONFIG: plane.kubeconfigPath };
}

function argumentsOf(record: string, ...more: readonly string[]): readonly string[] {
  const place = ['--record', join(folder, record), '--cluster', 'lab', '-o', 'json'];
  return ['fix', 'auth', '--role', ROLE, ...place, ...more];
}

interface Fixed {
  readonly run: Run;
  readonly document: FixDocument;
  readonly outcomes: readonly string[];
}

function fixedBy(run: Run): Fixed {
  assert.ok(run.stdout !== '', run.stderr);
  const document = JSON.parse(run.stdout) as FixDocument;
  return { run, document, outcomes: document.steps.map(({ outcome }) => outcome) };
}

/** A run with a record of its own, or with a named one. */
async function fix(...more: readonly string[]): Promise<Fixed> {
  runs += 1;
  return fixedBy(await rollcall(argumentsOf(`${runs}.db`, ...more), surroundings()));
}

function created(): number {
  return eks.asked.filter((operation) => operation === 'CreateAccessEntry').length;
}

async function awsAuth(): Promise<KubeObject | null> {
  return await plane.client.find<KubeObject>(AWS_AUTH);
}

describe('access entries', { skip, timeout: 300_000 }, () => {
  for (const mode of ['API', 'API_AND_CONFIG_MAP'] as const)
    test(`are made once in mode ${mode}, with the path of the role, and aws-auth is left`, async () => {
      eks.mode = mode;
      const dry = await fix();
      assert.deepEqual([dry.outcomes, dry.run.code, created()], [['would-write'], 0, 0]);
      const made = await fix('--yes');
      assert.deepEqual([made.outcomes, made.run.code], [['written'], 0], made.run.stdout);
      assert.deepEqual([...eks.entries], [[ROLE, { type: 'EC2_LINUX', policies: [] }]]);
      const again = await fix('--yes');
      assert.deepEqual([again.outcomes, created()], [['not-needed'], 1]);
      assert.equal(await awsAuth(), null);
    });

  test('are not made in mode CONFIG_MAP, nor where aws-auth is asked for, which undo takes back', async () => {
    eks.mode = 'CONFIG_MAP';
    const refused = await fix('--yes', '--into', 'access-entry');
    assert.deepEqual([refused.outcomes, refused.run.code], [['refused'], 1]);
    eks.mode = 'API_AND_CONFIG_MAP';
    const record = 'map.db';
    const run = await rollcall(argumentsOf(record, '--yes', '--into', 'aws-auth'), surroundings());
    const { document, outcomes } = fixedBy(run);
    assert.deepEqual([outcomes, created()], [['written'], 0]);
    assert.match(JSON.stringify(await awsAuth()), /role\/nodes/);
    const words = ['fix', 'undo', document.id ?? '', '--yes', '--record', join(folder, record)];
    const undo = await rollcall(words, surroundings());
    assert.equal(undo.code, 0, undo.stdout + undo.stderr);
    assert.doesNotMatch(JSON.stringify(await awsAuth()), /role\/nodes/);
    await plane.client.remove(AWS_AUTH).catch(() => undefined);
  });
});

describe('access entries, where something goes wrong,', { skip, timeout: 300_000 }, () => {
  test('that somebody else makes at the same moment are taken as they are', async () => {
    eks.before.push(() => eks.entries.set(ROLE, { type: 'EC2_LINUX', policies: [] }));
    const { outcomes, run } = await fix('--yes');
    assert.deepEqual([outcomes, run.code, created()], [['not-needed'], 0, 1]);
  });

  test('that somebody else makes with another type are refused, with the commands', async () => {
    eks.before.push(() => eks.entries.set(ROLE, { type: 'STANDARD', policies: [] }));
    const { document, outcomes } = await fix('--yes');
    assert.deepEqual([outcomes, created()], [['refused'], 1]);
    assert.match(document.steps[0]?.commands.join('\n') ?? '', /delete-access-entry/);
  });

  const refusals: readonly (readonly [string, Fault, RegExp])[] = [
    ['a principal that is none', REFUSALS.invalidPrincipal, /invalid principal/],
    ['throttling', REFUSALS.throttled, /eks:CreateAccessEntry|Rate|throttl/i],
    [
      'a missing permission',
      REFUSALS.denied,
      /may not call eks:CreateAccessEntry; allow eks:CreateAccessEntry/,
    ],
    ['a mode that changed meanwhile', REFUSALS.mode, /authentication mode/],
    ['a cluster that is gone', REFUSALS.noCluster, /found no such object in us-west-2/],
  ];
  for (const [name, fault, said] of refusals)
    test(`are not made, nor asked for twice, after ${name}`, async () => {
      eks.faults.CreateAccessEntry = [fault];
      const { document, outcomes, run } = await fix('--yes');
      assert.deepEqual([outcomes, run.code, created()], [['refused'], 1, 1], run.stdout);
      assert.match(document.steps[0]?.why ?? '', said);
      assert.equal(eks.entries.size, 0);
    });

  for (const operation of ['DescribeCluster', 'DescribeAccessEntry'] as const)
    test(`are not made where ${operation} is denied`, async () => {
      eks.faults[operation] = [REFUSALS.denied];
      const { outcomes } = await fix('--yes');
      assert.deepEqual([outcomes, created()], [['refused'], 0]);
    });
});

describe('access entries without an answer', { skip, timeout: 300_000 }, () => {
  test('whose answer is lost are read, and not made twice', async () => {
    eks.faults.CreateAccessEntry = ['lost'];
    const { outcomes, run } = await fix('--yes');
    assert.deepEqual([outcomes, run.code, created()], [['written'], 0, 1]);
  });

  test('whose request is lost are unclear, and made by the next run', async () => {
    eks.faults.CreateAccessEntry = ['dropped'];
    const { outcomes, run } = await fix('--yes');
    assert.deepEqual([outcomes, run.code, created()], [['unclear'], 2, 1]);
    const again = await fix('--yes');
    assert.deepEqual([again.outcomes, created()], [['written'], 2]);
  });

  test('of Auto Mode get their policy, whose lost answer is read', async () => {
    eks.faults.AssociateAccessPolicy = ['lost'];
    const { outcomes } = await fix('--yes', '--node-type', 'auto');
    assert.deepEqual(outcomes, ['written', 'written']);
    assert.equal(eks.entries.get(ROLE)?.policies.length, 1);
    assert.equal(eks.entries.get(ROLE)?.type, 'EC2');
    const again = await fix('--yes', '--node-type', 'auto');
    assert.deepEqual(again.outcomes, ['not-needed', 'not-needed']);
  });

  test('of Auto Mode whose policy is denied are shown as made, and completed by the next run', async () => {
    eks.faults.AssociateAccessPolicy = [REFUSALS.deniedPolicy];
    const { outcomes, run, document } = await fix('--yes', '--node-type', 'auto');
    assert.deepEqual([outcomes, run.code], [['written', 'refused'], 1]);
    assert.match(document.steps[1]?.why ?? '', /eks:AssociateAccessPolicy/);
    assert.equal(document.undo, `rollcall fix undo ${document.id} --yes`);
    const again = await fix('--yes', '--node-type', 'auto');
    assert.deepEqual([again.outcomes, created()], [['not-needed', 'written'], 1]);
    assert.equal(eks.entries.get(ROLE)?.policies.length, 1);
  });

  test('of a run that was killed before the policy are completed by the next one', async () => {
    eks.faults.CreateAccessEntry = ['held'];
    const args = argumentsOf('killed.db', '--yes', '--node-type', 'auto');
    const child = startRollcall(args, surroundings());
    const ended = endOf(child);
    while (eks.entries.size === 0) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    assert.equal((await ended).signal, 'SIGKILL');
    const { outcomes } = await fix('--yes', '--node-type', 'auto');
    assert.deepEqual([outcomes, created()], [['not-needed', 'written'], 1]);
    assert.equal(eks.entries.get(ROLE)?.policies.length, 1);
  });
});

describe('an access entry that is gone', { skip, timeout: 300_000 }, () => {
  test('is made with who deleted it, by CloudTrail', async () => {
    eks.trail.push(deletedEvent(`${ROLE}-other`), deletedEvent(ROLE, 'shop'), deletedEvent(ROLE));
    const { document } = await fix('--yes');
    assert.deepEqual(document.steps[0]?.lostBy, [
      {
        shownBy: 'CloudTrail',
        by: CALLER,
        at: '2025-06-15T15:08:20.000Z',
        from: '203.0.113.12',
        text: `${CALLER} deleted the access entry at 2025-06-15T15:08:20.000Z from 203.0.113.12 (CloudTrail, eks:DeleteAccessEntry).`,
      },
    ]);
    assert.doesNotMatch(JSON.stringify(document), /ASIA/);
  });

  test('is made where CloudTrail may not be asked, with the permission', async () => {
    eks.faults.LookupEvents = [REFUSALS.deniedTrail];
    const { document, outcomes } = await fix('--yes');
    assert.deepEqual(outcomes, ['written']);
    assert.match(document.steps[0]?.lostBy?.[0]?.text ?? '', /allow cloudtrail:LookupEvents/);
  });

  test('is made where CloudTrail has nothing of it', async () => {
    const { document, outcomes } = await fix('--yes');
    assert.deepEqual(outcomes, ['written']);
    assert.match(document.steps[0]?.lostBy?.[0]?.text ?? '', /shows no change of the access entry/);
  });
});

/** A fix that is recorded, and what takes it back. */
async function madeAndUndo(...more: readonly string[]) {
  runs += 1;
  const record = `undo-${runs}.db`;
  const made = fixedBy(await rollcall(argumentsOf(record, '--yes', ...more), surroundings()));
  const id = made.document.id ?? '';
  const words = ['fix', 'undo', id, '--record', join(folder, record), '-o', 'json'];
  const undo = async (...flags: readonly string[]): Promise<Fixed> =>
    fixedBy(await rollcall([...words, ...flags], surroundings()));
  return { made, undo, words };
}

describe('fix undo', { skip, timeout: 300_000 }, () => {
  test('deletes the access entry that the fix made, once', async () => {
    const { undo } = await madeAndUndo();
    const dry = await undo();
    assert.deepEqual([dry.outcomes, eks.entries.size], [['would-write'], 1]);
    const undone = await undo('--yes');
    assert.deepEqual([undone.outcomes, undone.run.code, eks.entries.size], [['written'], 0, 0]);
    assert.match(undone.document.steps[0]?.diff.join('\n') ?? '', /- access entry of cluster lab/);
    const again = await undo('--yes');
    assert.deepEqual([again.outcomes, again.run.code], [['not-needed'], 0]);
    assert.equal(eks.asked.filter((one) => one === 'DeleteAccessEntry').length, 1);
  });

  test('takes the policy of Auto Mode first, then the entry', async () => {
    const { undo } = await madeAndUndo('--node-type', 'auto');
    assert.deepEqual((await undo()).outcomes, ['would-write', 'would-write']);
    assert.deepEqual((await undo('--yes')).outcomes, ['written', 'written']);
    assert.equal(eks.entries.size, 0);
  });

  test('leaves an entry that was there before the policy', async () => {
    eks.entries.set(ROLE, { type: 'EC2', policies: [] });
    const { undo } = await madeAndUndo('--node-type', 'auto');
    assert.deepEqual((await undo('--yes')).outcomes, ['written']);
    assert.deepEqual(eks.entries.get(ROLE)?.policies, []);
  });

  for (const [title, change, shows] of [
    ['was made anew', { type: 'EC2_LINUX', policies: [], arn: 'arn:other' }, /\+ arn: arn:other/],
    [
      'got a group',
      { type: 'EC2_LINUX', policies: [], kubernetesGroups: ['devs'] },
      /\+ groups: \["devs"\]/,
    ],
    [
      'got a policy',
      {
        type: 'EC2_LINUX',
        policies: [{ policyArn: 'arn:view', accessScope: {}, associatedAt: 1 }],
      },
      /\+ arn:view/,
    ],
  ] as const)
    test(`refuses an entry that ${title} since, and shows it`, async () => {
      const { undo } = await madeAndUndo();
      eks.entries.set(ROLE, { ...change, policies: [...change.policies] });
      const { document, outcomes, run } = await undo('--yes');
      assert.deepEqual([outcomes, run.code, eks.entries.size], [['refused'], 1, 1]);
      assert.match(document.steps[0]?.diff.join('\n') ?? '', shows);
      assert.match(document.steps[0]?.commands[0] ?? '', /^aws eks delete-access-entry /);
    });
});

describe('fix undo that is disturbed', { skip, timeout: 300_000 }, () => {
  test('reads after a lost answer, and finds an entry that somebody deleted at once', async () => {
    const lost = await madeAndUndo();
    eks.faults.DeleteAccessEntry = ['lost'];
    assert.deepEqual((await lost.undo('--yes')).outcomes, ['written']);
    const raced = await madeAndUndo();
    eks.faults.DeleteAccessEntry = [REFUSALS.noEntry];
    assert.deepEqual((await raced.undo('--yes')).outcomes, ['not-needed']);
  });

  test('that AWS denies half-way shows what was done, and continues once it is allowed', async () => {
    const { undo } = await madeAndUndo('--node-type', 'auto');
    eks.faults.DeleteAccessEntry = [REFUSALS.deniedDelete];
    const { document, outcomes, run } = await undo('--yes');
    assert.deepEqual([outcomes, run.code], [['written', 'refused'], 1]);
    assert.match(document.steps[1]?.why ?? '', /allow eks:DeleteAccessEntry/);
    assert.deepEqual((await undo('--yes')).outcomes, ['not-needed', 'written']);
  });

  test('that was killed between policy and entry is completed by the next one', async () => {
    const { undo, words } = await madeAndUndo('--node-type', 'auto');
    eks.faults.DisassociateAccessPolicy = ['held'];
    const child = startRollcall([...words, '--yes'], surroundings());
    const ended = endOf(child);
    while ((eks.entries.get(ROLE)?.policies.length ?? 0) > 0)
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    assert.equal((await ended).signal, 'SIGKILL');
    assert.equal(eks.entries.size, 1);
    assert.deepEqual((await undo('--yes')).outcomes, ['not-needed', 'written']);
  });

  test('leaves an entry that a killed run may have made, or somebody else', async () => {
    runs += 1;
    const record = `killed-${runs}.db`;
    eks.faults.CreateAccessEntry = ['held'];
    const child = startRollcall(argumentsOf(record, '--yes'), surroundings());
    const ended = endOf(child);
    while (eks.entries.size === 0) await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    const place = ['--record', join(folder, record), '-o', 'json'];
    const unknown = await rollcall(['fix', 'undo', 'nope', ...place], surroundings());
    const id = /auth-\d[\w-]*/.exec(unknown.stderr)?.[0] ?? '';
    const undone = fixedBy(await rollcall(['fix', 'undo', id, '--yes', ...place], surroundings()));
    assert.deepEqual([undone.outcomes, eks.entries.size], [['refused'], 1]);
    assert.match(undone.document.steps[0]?.why ?? '', /may be of somebody else/);
  });
});
