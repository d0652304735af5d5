import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Refusal } from '../../src/evidence/observations.ts';
import { createFakeRecorder } from '../ports/fake/recorder.ts';
import {
  instance,
  isoAt,
  linesIn,
  lookAt,
  MACHINE,
  node,
  NODE_UID,
  recordingInto,
  row,
  rowsIn,
  START_MS,
  warning,
} from './looks.ts';

const OTHER_UID = '11111111-2222-4333-8444-555555555555';

function refusal(call: string): Refusal {
  return { call, failure: 'denied', message: `${call} is denied`, permission: call };
}

describe('a recording keeps', () => {
  test('a life from launch to end, each change once and at its own time', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    const usable = [row('usable')];
    const running = [instance('running')];
    await recording.take(lookAt({ minute: 2, instances: running, rows: usable }));
    await recording.take(lookAt({ minute: 3, instances: running, rows: usable }));
    const broken = node({ ready: 'False', changed: 4, taints: ['drain'] });
    const rows = [row('not-usable', 'cni-not-ready')];
    await recording.take(lookAt({ minute: 5, nodes: [broken], instances: running, rows }));
    const rebooted = node({ boot: 'boot-2', changed: 6 });
    await recording.take(
      lookAt({ minute: 7, nodes: [rebooted], instances: running, rows: usable }),
    );
    const going = node({ boot: 'boot-2', changed: 6, deleting: 8 });
    await recording.take(lookAt({ minute: 8, nodes: [going], instances: running, rows: usable }));
    const ended = instance('terminated', {
      StateTransitionReason: 'User initiated (2026-05-01 10:08:30 GMT)',
    });
    await recording.take(lookAt({ minute: 9, nodes: [], instances: [ended] }));
    assert.deepEqual(await linesIn(recorder), [
      '-5 machine-launched: launched: m5.large in eu-west-1a from ami-0123456789abcdef0',
      '0 node-created: Node node00 is created',
      '1 condition: Ready is True (KubeletReady): fine',
      '2 machine-state: instance is running',
      '2 verdict: usable',
      '4 condition: Ready is False (KubeletNotReady): container runtime is down',
      '5 node-marks: marked drain:NoSchedule',
      '5 verdict: usable -> not-usable at networked (cni-not-ready)',
      '5 evidence: kept Node of Node node00',
      '6 condition: Ready is True (KubeletReady): fine',
      '7 node-rebooted: the machine rebooted',
      '7 node-marks: no longer cordoned or tainted',
      '7 verdict: not-usable at networked (cni-not-ready) -> usable',
      '8 node-deleting: Node node00 is being deleted',
      '8 evidence: kept Node of Node node00',
      '9 machine-state: instance is terminated: User initiated (2026-05-01 10:08:30 GMT)',
      '9 node-deleted: Node node00 is gone',
      '9 verdict: gone; was usable',
    ]);
    const created = (await rowsIn(recorder)).find(({ kind }) => kind === 'node-created');
    assert.deepEqual(
      [created?.uid, created?.subject, created?.boot, created?.receivedMs],
      [NODE_UID, 'node00', 'boot-1', START_MS + 120_000],
    );
  });
});

describe('a recording keeps once', () => {
  test('a Node that is created again with both UIDs', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 2 }));
    await recording.take(lookAt({ minute: 3, nodes: [] }));
    const again = node({ uid: OTHER_UID, created: 4, changed: 5 });
    await recording.take(lookAt({ minute: 6, nodes: [again] }));
    const lines = await linesIn(recorder);
    assert.ok(lines.includes('3 node-deleted: Node node00 is gone'));
    assert.ok(
      lines.includes(`4 node-created: Node node00 is created again; its UID was ${NODE_UID}`),
      lines.join('\n'),
    );
  });

  test('a boot that the Node names only after it registered, and no reboot before the second', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    for (const [minute, boot] of [
      [2, ''],
      [3, 'boot-1'],
      [4, ''],
      [5, 'boot-1'],
      [6, 'boot-2'],
    ] as const)
      await recording.take(lookAt({ minute, nodes: [node({ boot })] }));
    const lines = (await linesIn(recorder)).filter((line) => line.includes('node-rebooted'));
    assert.deepEqual(lines, ['6 node-rebooted: the machine rebooted']);
  });

  test('each count of an Event, and an Event without a change once', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    for (const [minute, count, at] of [
      [2, 1, 1],
      [3, 1, 1],
      [4, 5, 4],
    ] as const)
      await recording.take(lookAt({ minute, events: [warning({ uid: 'e1', count, at })] }));
    const events = (await rowsIn(recorder)).filter(({ kind }) => kind === 'event');
    assert.deepEqual(
      events.map(({ atMs }) => (atMs - START_MS) / 60_000),
      [1, 4],
    );
  });
});

describe('a recording keeps of what it cannot see', () => {
  test('no Node as gone while the list of Nodes is refused, and the gap instead', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 2, rows: [row('usable')] }));
    const refused = { nodes: [], isListed: false, refusals: [refusal('list nodes')] };
    await recording.take(lookAt({ minute: 3, ...refused }));
    await recording.take(lookAt({ minute: 4, ...refused }));
    await recording.take(lookAt({ minute: 5, rows: [row('usable')] }));
    await recording.take(lookAt({ minute: 6, rows: [row('usable')] }));
    await recording.take(lookAt({ minute: 7, ...refused }));
    const lines = (await linesIn(recorder)).slice(2);
    assert.deepEqual(lines, [
      '2 verdict: usable',
      '3 gap: GAP from here on: list nodes is not answered: list nodes is denied',
      '3 gap: GAP until 2026-05-01T10:05:00Z: list nodes is not answered: list nodes is denied',
      '7 gap: GAP from here on: list nodes is not answered: list nodes is denied',
    ]);
  });

  test('no instance as gone while AWS does not answer for all of them', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 2, instances: [instance('running')] }));
    const refusals = [refusal('ec2:DescribeInstances')];
    await recording.take(lookAt({ minute: 3, instances: [], refusals }));
    await recording.take(lookAt({ minute: 4 }));
    assert.ok(!(await linesIn(recorder)).some((line) => line.includes('machine-gone')));
    await recording.take(lookAt({ minute: 5, instances: [] }));
    assert.ok(
      (await linesIn(recorder)).includes(`5 machine-gone: EC2 no longer lists instance ${MACHINE}`),
    );
  });
});

describe('a recording also keeps', () => {
  test('NodeClaims, and whose machine they are', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    const claim = {
      metadata: { name: 'default-x7', uid: OTHER_UID, creationTimestamp: isoAt(-6) },
      status: {
        providerID: `aws:///eu-west-1a/${MACHINE}`,
        conditions: [
          { type: 'Launched', status: 'True', reason: 'Launched', lastTransitionTime: isoAt(-5) },
        ],
      },
    };
    await recording.take(lookAt({ minute: 1, claims: [claim] }));
    await recording.take(lookAt({ minute: 2, claims: [] }));
    const lines = (await linesIn(recorder)).filter((line) => /claim|Launched/.test(line));
    assert.deepEqual(lines, [
      '-6 claim-created: NodeClaim default-x7 is created',
      '-5 condition: Launched is True (Launched)',
      '2 claim-deleted: NodeClaim default-x7 is gone',
    ]);
    const links = await recorder.read({
      cluster: 'shop',
      subject: MACHINE,
      kinds: ['link'],
      limit: 9,
    });
    assert.equal(links.length, 2);
  });
});

describe('evidence of a machine that is about to go', () => {
  test('is kept in each of its versions, whatever its heartbeats, and no further than its limit', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    const console = `boot\n${'panic '.repeat(10_000)}`;
    for (let minute = 2; minute < 40; minute++) {
      const taints = minute < 10 ? [] : [`t${minute}`];
      const nodes = [node({ ready: 'Unknown', taints, beat: minute })];
      await recording.take(lookAt({ minute, nodes, console }));
    }
    const kept = (await rowsIn(recorder)).filter(({ kind }) => kind === 'evidence');
    assert.equal(kept.length, 20);
    const parts = kept.map(({ body }) => (body as { readonly part: string }).part);
    assert.deepEqual([...new Set(parts)], ['Node', 'console output']);
    assert.equal(parts.filter((part) => part === 'console output').length, 1);
    const early = kept.filter(({ receivedMs }) => receivedMs < START_MS + 10 * 60_000);
    assert.equal(early.length, 2, 'a heartbeat is no other version');
    for (const { body } of kept) assert.ok(JSON.stringify(body).length < 40_000);
  });

  test('holds no secret and no annotation that no cause reads', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    const events = [warning({ uid: 'e', at: 1, message: `AWS_SECRET_ACCESS_KEY=${secret} fails` })];
    const nodes = [node({ ready: 'False' })];
    await recording.take(lookAt({ minute: 2, nodes, events, console: `password: ${secret}` }));
    const text = JSON.stringify(await rowsIn(recorder));
    assert.ok(text.includes('kept console output'));
    assert.ok(!text.includes('wJalrXUtnFEMI') && !text.includes('hunter2'), text);
  });
});

describe('a recording that starts again', () => {
  test('adds nothing that it has, and the gap in which nobody looked', async () => {
    const recorder = createFakeRecorder();
    const events = [warning({ uid: 'e1', at: 1 })];
    const look = { instances: [instance('running')], rows: [row('usable')], events };
    await recordingInto(recorder).recording.take(lookAt({ minute: 2, ...look }));
    const before = await linesIn(recorder);
    await recordingInto(recorder).recording.take(lookAt({ minute: 4, ...look }));
    assert.deepEqual(await linesIn(recorder), before, 'a short time');
    await recordingInto(recorder).recording.take(lookAt({ minute: 60, ...look }));
    assert.deepEqual(await linesIn(recorder), [
      ...before,
      '4 gap: GAP until 2026-05-01T11:00:00Z: nobody looked',
    ]);
  });

  test('finds what went while nobody looked', async () => {
    const recorder = createFakeRecorder();
    await recordingInto(recorder).recording.take(lookAt({ minute: 2, rows: [row('usable')] }));
    await recordingInto(recorder).recording.take(lookAt({ minute: 600, nodes: [] }));
    const lines = await linesIn(recorder);
    assert.ok(lines.includes('600 node-deleted: Node node00 is gone'), lines.join('\n'));
    assert.ok(lines.includes('600 verdict: gone; was usable'));
  });

  test('records the same as another program beside it once', async () => {
    const recorder = createFakeRecorder();
    const programs = [recordingInto(recorder), recordingInto(recorder)];
    const changes = [
      { minute: 2, rows: [row('usable')] },
      { minute: 3, nodes: [node({ ready: 'False', changed: 3 })], rows: [row('not-usable', 'x')] },
      { minute: 4, nodes: [], rows: [] },
    ];
    for (const change of changes)
      for (const { recording } of programs) await recording.take(lookAt(change));
    const lines = await linesIn(recorder);
    assert.deepEqual([...new Set(lines)], lines);
  });
});

describe('a recording', () => {
  test('keeps a Node that came and went between two judgements', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 2 }));
    const short = { name: 'short', uid: OTHER_UID, created: 3, changed: 3 };
    const passing = [node({ ...short, ready: 'False' }), node({ ...short, changed: 4 })];
    await recording.take(lookAt({ minute: 5, passing }));
    const lines = await linesIn(recorder);
    assert.deepEqual(lines.slice(2), [
      '3 node-created: Node short is created',
      '3 condition: Ready is False (KubeletNotReady): container runtime is down',
      '4 condition: Ready is True (KubeletReady): fine',
      '5 node-deleted: Node short is gone',
      '5 evidence: kept Node of Node short',
    ]);
  });

  test('forgets what is older than its limit, and what it has no room for leaves a gap', async () => {
    const recorder = createFakeRecorder();
    const limits = { keepMs: 3_600_000, bytesMax: 6000 };
    const { recording, said } = recordingInto(recorder, limits);
    await recording.take(lookAt({ minute: 2 }));
    const events = Array.from({ length: 40 }, (_, index) => warning({ uid: `e${index}`, at: 119 }));
    await recording.take(lookAt({ minute: 120, events }));
    const lines = await linesIn(recorder);
    assert.ok(!lines.some((line) => line.startsWith('0 node-created')));
    assert.match(lines.join('\n'), /rows up to then were forgotten, as the record was full/);
    assert.match(said.join('\n'), /allow more: --max-size/);
  });

  test('forgets what is older than its limit where there is room for it', async () => {
    const recorder = createFakeRecorder();
    const limits = { keepMs: 3_600_000, bytesMax: 1_000_000 };
    const { recording } = recordingInto(recorder, limits);
    await recording.take(lookAt({ minute: 2, events: [warning({ uid: 'e1', at: 1 })] }));
    await recording.take(lookAt({ minute: 58, events: [warning({ uid: 'e2', at: 58 })] }));
    await recording.take(lookAt({ minute: 90 }));
    const lines = await linesIn(recorder);
    assert.deepEqual(
      lines.filter((line) => line.includes('event')),
      ['58 event: NodeNotReady: Node node00 is not ready'],
    );
  });

  test('keeps how far the clock of the source is from its own', async () => {
    const recorder = createFakeRecorder();
    const { recording } = recordingInto(recorder);
    await recording.take(lookAt({ minute: 2, skewMs: -9000, rows: [row('usable')] }));
    const skews = (await rowsIn(recorder)).map(({ kind, skewMs }) => [kind, skewMs]);
    assert.deepEqual(
      skews.filter(([kind]) => kind === 'node-created' || kind === 'verdict'),
      [
        ['node-created', -9000],
        ['verdict', null],
      ],
    );
  });
});
