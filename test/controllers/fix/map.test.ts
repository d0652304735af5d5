/** A node role is let in through aws-auth: nothing of anybody else's is lost or widened. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixMap, type MapOrder } from '../../../src/controllers/fix/auth/fix-map.ts';
import { mappingOf, rolePartsOf } from '../../../src/controllers/fix/auth/node-mapping.ts';
import { undoMap } from '../../../src/controllers/fix/auth/undo-map.ts';
import type { FixStep } from '../../../src/controllers/fix/fix.ts';
import { fault } from '../../ports/fake/kube-fault.ts';
import { ADMIN, EDITOR, ROLE, type Scene, scene } from './scene.ts';

const WHY = { kind: 'finding', name: 'aws-auth-missing', text: 'Nothing maps the role.' } as const;
const ORDER: MapOrder = {
  id: 'auth-1',
  isDryRun: false,
  why: WHY,
  mapping: mappingOf(ROLE, 'linux'),
  editor: EDITOR,
};

function fix(at: Scene, change: Partial<MapOrder> = {}): Promise<FixStep> {
  return fixMap({ ...ORDER, ...change }, at.tools(change.isDryRun));
}

function entriesIn(text: string | null): readonly string[] {
  const read = EDITOR.readRoles(text ?? '');
  return read.ok ? read.entries.map(({ arn }) => arn) : [];
}

test('a missing ConfigMap is created with the role alone', async () => {
  const at = scene();
  const step = await fix(at);
  assert.equal(step.outcome, 'written', step.why);
  assert.deepEqual(entriesIn(await at.mapRoles()), [ROLE]);
});

test('entries and keys of others stay', async () => {
  const at = scene();
  at.put(`# ours\n${ADMIN}`, { mapUsers: 'kept: as it is' });
  assert.equal((await fix(at)).outcome, 'written');
  assert.ok((await at.mapRoles())?.startsWith(`# ours\n${ADMIN}`));
});

test('a dry run shows the lines and writes nothing', async () => {
  const at = scene();
  at.put(ADMIN);
  const step = await fix(at, { isDryRun: true });
  assert.equal(step.outcome, 'would-write');
  assert.deepEqual(step.diff.slice(0, 2), ['mapRoles, line 3:', `+ - rolearn: ${ROLE}`]);
  assert.equal(await at.mapRoles(), ADMIN);
  assert.deepEqual(at.notes, []);
});

test('a change of somebody else meanwhile is read, and both stay', async () => {
  const at = scene();
  at.put(ADMIN);
  const other = '- rolearn: arn:aws:iam::111122223333:role/other\n';
  at.before.push(() => at.put(`${ADMIN}${other}`));
  assert.equal((await fix(at)).outcome, 'written');
  assert.deepEqual(entriesIn(await at.mapRoles()).slice(1), [other.slice(11, -1), ROLE]);
});

test('a ConfigMap that somebody creates meanwhile is not replaced', async () => {
  const at = scene();
  at.before.push(() => at.put(ADMIN));
  assert.equal((await fix(at)).outcome, 'written');
  assert.equal(entriesIn(await at.mapRoles()).length, 2);
});

test('others who never stop changing it end the tries', async () => {
  const at = scene();
  at.put(ADMIN);
  for (let change = 0; change < 40; change += 1)
    at.before.push(() => at.put(`${ADMIN}# ${change}\n`));
  assert.equal((await fix(at)).outcome, 'conflict');
  assert.equal(entriesIn(await at.mapRoles()).includes(ROLE), false);
});

test('a ConfigMap that cannot be read is not taken for a missing one', async () => {
  const at = scene();
  at.api.failNext('get', fault('denied', 'It may not be read.'));
  const step = await fix(at);
  assert.equal(step.outcome, 'refused');
  assert.equal(await at.mapRoles(), null);
});

test('a malformed text is refused with its line', async () => {
  const at = scene();
  at.put(`${ADMIN}- rolearn: b\n\tusername: c\n`);
  const step = await fix(at);
  assert.equal(step.outcome, 'refused');
  assert.match(step.why, /line 4/);
});

describe('rights are never widened', () => {
  test('a role of system:masters is left to people', async () => {
    const at = scene();
    at.put(`- rolearn: ${ROLE}\n  username: x\n  groups: [system:masters]\n`);
    const step = await fix(at);
    assert.equal(step.outcome, 'refused');
    assert.match(step.why, /system:masters/);
  });

  test('an entry behind another gives what the other gave and what a node needs', async () => {
    const at = scene();
    at.put(`- rolearn: ${ROLE}\n  username: x\n  groups: [team]\n`);
    assert.equal((await fix(at)).outcome, 'written');
    const read = EDITOR.readRoles((await at.mapRoles()) ?? '');
    assert.deepEqual(read.ok && read.entries.at(-1)?.groups, [
      'system:bootstrappers',
      'system:nodes',
      'team',
    ]);
  });

  test('a pattern, a session or a profile is refused', () => {
    for (const arn of [
      'arn:aws:iam::111122223333:role/*',
      'arn:aws:iam::111122223333:role/*/nodes',
      'arn:aws:iam::*:role/nodes',
      'arn:aws:sts::111122223333:assumed-role/nodes/i-1',
      'arn:aws:iam::111122223333:instance-profile/nodes',
      '<ARN of instance role>',
    ])
      assert.equal(rolePartsOf(arn), null, arn);
  });

  test('the path of a role is stripped', () => {
    const parts = rolePartsOf('arn:aws-cn:iam::111122223333:role/team/app/nodes');
    assert.equal(parts?.plain, 'arn:aws-cn:iam::111122223333:role/nodes');
  });

  test('each type of node has its user name and groups', () => {
    assert.deepEqual(mappingOf(ROLE, 'windows').groups.at(-1), 'eks:kube-proxy-windows');
    assert.equal(mappingOf(ROLE, 'linux').groups.length, 2);
    assert.equal(mappingOf(ROLE, 'hybrid').username, 'system:node:{{SessionName}}');
  });
});

test('a role that is mapped needs nothing', async () => {
  const at = scene();
  await fix(at);
  const text = await at.mapRoles();
  assert.equal((await fix(at)).outcome, 'not-needed');
  assert.equal(await at.mapRoles(), text);
});

test('a lost answer is read, and nothing is written twice', async () => {
  const at = scene();
  at.put(ADMIN);
  at.writes.loseNext(fault('unclear', 'No answer came.'));
  assert.equal((await fix(at)).outcome, 'written');
  assert.equal(entriesIn(await at.mapRoles()).filter((arn) => arn === ROLE).length, 1);
});

test('an entry that another program overwrites at once is reported', async () => {
  const at = scene();
  at.put(ADMIN);
  const tools = at.tools();
  const perform: typeof tools.perform = async (action) => {
    const done = await tools.perform(action);
    at.put(ADMIN);
    return done;
  };
  const step = await fixMap(ORDER, { ...tools, perform });
  assert.equal(step.outcome, 'overwritten');
});

test('a write is recorded before and after, with its reason', async () => {
  const at = scene();
  await fix(at);
  const events = await at.recorder.read({ cluster: 'one', limit: 9 });
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['action-intended', 'action-ended'],
  );
  assert.match(JSON.stringify(events[0]?.body), /aws-auth-missing/);
});

describe('undo', () => {
  const undo = async (at: Scene): Promise<FixStep> => {
    const [note = {}] = at.notes;
    return undoMap(note, ORDER, { tools: at.tools(), editor: EDITOR });
  };

  test('takes out what was put in, and nothing that others added', async () => {
    const at = scene();
    at.put(ADMIN);
    await fix(at);
    const later = '- rolearn: arn:aws:iam::111122223333:role/later\n';
    at.put(`${await at.mapRoles()}${later}`);
    assert.equal((await undo(at)).outcome, 'written');
    assert.equal(await at.mapRoles(), `${ADMIN}${later}`);
  });

  test('leaves an entry that others changed', async () => {
    const at = scene();
    at.put(ADMIN);
    await fix(at);
    const changed = (await at.mapRoles())?.replace('- system:nodes\n', '- system:nodes\n    - x\n');
    at.put(changed ?? '');
    assert.equal((await undo(at)).outcome, 'refused');
    assert.equal(await at.mapRoles(), changed);
  });

  test('has nothing to do where the entry is gone', async () => {
    const at = scene();
    at.put(ADMIN);
    await fix(at);
    at.put(ADMIN);
    assert.equal((await undo(at)).outcome, 'not-needed');
  });
});
