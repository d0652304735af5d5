import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import type { Action } from '../../src/ports/action.ts';
import { endedRecord, intendedRecord } from '../../src/ports/action-record.ts';
import type { RecordedEvent, Recorder } from '../../src/ports/recorder.ts';
import { capture } from '../cli/capture.ts';
import { event } from '../ports/recorder.contract.ts';
import {
  instance,
  isoAt,
  lookAt,
  MACHINE,
  node,
  NODE_UID,
  recordingInto,
  row,
  START_MS,
  warning,
} from './looks.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-timeline-'));
const file = join(folder, 'flight.db');
const RENAMED_UID = '22222222-2222-4333-8444-555555555555';
const OTHER_UID = '33333333-2222-4333-8444-555555555555';
const EARLIER_UID = '44444444-2222-4333-8444-555555555555';
const OTHER = 'i-0fedcba9876543210';

/** node00 comes up, its machine takes another name, and another machine takes the name node00. */
async function record(recorder: Recorder): Promise<void> {
  const { recording } = recordingInto(recorder);
  const instances = [instance('running')];
  const events = [1, 2, 3].map((at) => warning({ uid: 'e1', at, count: at }));
  const backOff = (uid: string, at: number) =>
    warning({ uid, at, reason: 'BackOff', message: `back-off ${at * 10} s` });
  for (const [index, each] of events.entries())
    await recording.take(
      lookAt({
        minute: 2 + index,
        instances,
        events: [each, backOff(`b${index}`, index)],
        rows: [row('usable')],
      }),
    );
  const deleting = [
    warning({ uid: 'd1', at: 9, reason: 'DeletingNode', message: 'does not exist in the cloud' }),
    warning({ uid: 'r1', at: 10, reason: 'RemovingNode', message: 'gone', of: NODE_UID }),
    warning({ uid: 'r2', at: -9, reason: 'RemovingNode', message: 'before', of: EARLIER_UID }),
  ];
  await recording.take(lookAt({ minute: 10, nodes: [], instances, events: deleting }));
  const renamed = node({ name: 'ip-172-12-4-2.ec2.internal', uid: RENAMED_UID, created: 11 });
  await recording.take(
    lookAt({ minute: 12, nodes: [renamed], instances, rows: [row('not-usable', 'x')] }),
  );
  const taken = node({ uid: OTHER_UID, created: 20, instance: OTHER, changed: 21 });
  const near = { reason: 'Rebooted', message: 'shortly after', of: OTHER_UID };
  const later = [
    warning({ uid: 'e8', at: 15, ...near }),
    warning({ uid: 'e9', at: 21, reason: 'Rebooted', message: 'of the other one' }),
  ];
  await recording.take(
    lookAt({
      minute: 60,
      nodes: [renamed, taken],
      instances,
      events: later,
      rows: [row('not-usable', 'x')],
    }),
  );
}

before(async () => {
  const recorder = openRecorder(file);
  await record(recorder);
  await recorder.append([event(START_MS, { cluster: 'elsewhere', subject: 'node00' })]);
  await recorder.close();
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function timeline(...args: readonly string[]): ReturnType<typeof capture> {
  return capture(['timeline', '--record', file, '--cluster', 'shop', ...args]);
}

interface Document {
  readonly lines: readonly {
    readonly what: string;
    readonly count: number;
    readonly subject: { readonly name: string };
  }[];
  readonly standings: readonly { readonly standing: string; readonly since: string }[];
}

async function documentOf(...args: readonly string[]): Promise<Document> {
  return JSON.parse((await timeline(...args, '-o', 'json')).out) as Document;
}

describe('the timeline of an instance', () => {
  test('crosses the names of its Nodes, without another machine that took one of them', async () => {
    const { code, out } = await timeline(MACHINE);
    assert.equal(code, 0);
    assert.match(out, /^i-0123456789abcdef0 \(.*node00.*\)\n/);
    assert.match(out, /Node node00 is created\n[^]*Node node00 is gone\n/);
    assert.match(
      out,
      /ip-172-12-4-2\.ec2\.internal\s+Node ip-172-12-4-2\.ec2\.internal is created/,
    );
    assert.match(out, /DeletingNode: does not exist in the cloud/);
    assert.doesNotMatch(out, /of the other one|shortly after|33333333/);
    assert.match(out, /GAP until 2026-05-01T11:00:00Z: nobody looked/);
  });

  test('folds what repeats into one line with its count and its last time', async () => {
    const { lines } = await documentOf(MACHINE);
    const of = (words: string): (readonly [string, number])[] =>
      lines.filter(({ what }) => what.includes(words)).map(({ what, count }) => [what, count]);
    assert.deepEqual(of('NodeNotReady'), [['NodeNotReady: Node node00 is not ready', 3]]);
    assert.deepEqual(of('BackOff'), [['BackOff: back-off 0 s', 3]]);
    const { out } = await timeline(MACHINE);
    assert.match(out, /NodeNotReady: .* {2}\(×3 until 2026-05-01T10:03:00Z\)\n/);
  });

  test('in any order of its options is in the order of time', async () => {
    const { out } = await timeline('-o', 'text', MACHINE);
    const times = [...out.matchAll(/^(\d{4}-\S+Z) /gm)].map(([, time = '']) => time);
    assert.ok(times.length > 10);
    assert.deepEqual(times, times.toSorted());
  });
});

describe('the timeline of a Node name', () => {
  test('brings every machine that bore it', async () => {
    const { out } = await timeline('node00');
    assert.match(out, /of the other one/);
    assert.match(out, /is created again; its UID was 9a0e63f2/);
    assert.match(out, /launched: m5\.large/);
  });

  test('up to a time says how it stood then', async () => {
    const { standings, lines } = await documentOf('node00', '--at', isoAt(5));
    assert.deepEqual(
      standings.map(({ standing, since }) => [standing, since]),
      [['usable', isoAt(2)]],
    );
    assert.ok(!lines.some(({ what }) => what.includes('is gone')));
    const { out } = await timeline('node00', '--at', isoAt(30));
    assert.match(
      out,
      /At 2026-05-01T10:30:00Z:\n {2}i-0123456789abcdef0 node00: not-usable at networked \(x\)/,
    );
  });

  test('since a time leaves out what was before', async () => {
    const { lines } = await documentOf('node00', '--since', isoAt(9));
    assert.ok(!lines.some(({ what }) => what.includes('NodeNotReady')));
    assert.ok(lines.some(({ what }) => what === 'Node node00 is gone'));
  });
});

test('what is gone is listed with its last verdict and last words', async () => {
  const { code, out } = await timeline('--deleted');
  assert.equal(code, 0);
  assert.match(out, /^2026-05-01T09:51:00Z {2}Node node00: its beginning was not recorded; /);
  assert.match(
    out,
    /^2026-05-01T10:10:00Z {2}Node node00 i-0123456789abcdef0: lived 10 minutes; /m,
  );
  assert.match(out, /last verdict usable; UID 9a0e63f2/);
  assert.match(out, /^ {4}node-controller: DeletingNode: does not exist in the cloud$/m);
  const { out: json } = await timeline('--deleted', '-o', 'json');
  const { deleted } = JSON.parse(json) as { deleted: readonly { uid: string }[] };
  assert.deepEqual(
    deleted.map(({ uid }) => uid),
    [EARLIER_UID, NODE_UID],
    'one that was deleted before the recording began, too',
  );
});

test('all of a cluster names each subject, and no other cluster', async () => {
  const { out } = await timeline('--all');
  assert.match(out, /^Cluster shop\n/);
  assert.match(out, /i-0123456789abcdef0 {2}launched/);
  assert.doesNotMatch(out, /node-deleted/);
});

describe('a page of HTML', () => {
  const hostile = '<img src=x onerror=alert(1)> "\' & \u001b[31m</style><script>';

  async function page(rows: readonly RecordedEvent[], ...args: readonly string[]): Promise<string> {
    const path = join(folder, `${rows.length}-${args.length}.db`);
    const recorder = openRecorder(path);
    await recorder.append(rows);
    await recorder.close();
    return (await capture(['timeline', '--record', path, '-o', 'html', ...args])).out;
  }

  test('escapes what is recorded, and may load and run nothing', async () => {
    const body = { what: hostile, message: hostile, reason: hostile, standing: hostile };
    const rows = [
      event(1, { body, source: hostile, kind: 'event', cluster: hostile }),
      event(2, { body, source: hostile, kind: 'verdict', subject: hostile, cluster: hostile }),
      event(3, { body, source: hostile, subject: hostile, cluster: hostile, uid: hostile }),
    ];
    for (const args of [['--all'], ['--all', '--at', '1d'], ['--deleted'], [hostile]]) {
      const out = await page(rows, ...args);
      assert.match(out, /^<!doctype html>/);
      assert.doesNotMatch(out, /<img|<script|onerror=alert\(1\)>|\u001b/);
      assert.equal(out.match(/<style>/g)?.length, 1);
      assert.equal(out.match(/<\/style>/g)?.length, 1);
      assert.match(out, /content="default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; /);
      assert.doesNotMatch(out, /<[^>]*\b(?:src|href|style|on\w+)=|url\(|@import/);
    }
  });

  test('shows the story with its sources, times and tones', async () => {
    const { out } = await timeline(MACHINE, '-o', 'html');
    assert.match(out, /<text [^>]*>node-controller<\/text>/);
    assert.match(out, /<circle class="bad"[^>]*><title>2026-05-01T10:10:00Z Node node00 is gone/);
    assert.match(out, /<rect class="note"/, 'a repeated warning is a bar');
    assert.match(out, /<td class="what good">launched: m5\.large/);
  });
});

test('text from a recording cannot drive a terminal', async () => {
  const path = join(folder, 'terminal.db');
  const recorder = openRecorder(path);
  const evil = '\u001b]0;owned\u0007\u202eevil';
  await recorder.append([event(1, { subject: evil, source: evil, body: { what: evil } })]);
  await recorder.close();
  // Somebody else may have written to the file.
  const database = new DatabaseSync(path);
  const body = JSON.stringify({ what: evil, standing: evil });
  database
    .prepare("UPDATE event SET subject = ?, source = ?, body = ?, kind = 'verdict'")
    .run(evil, evil, body);
  database.close();
  const { out } = await capture(['timeline', '--all', '--at', '1d', '--record', path]);
  assert.match(out, /evil/);
  // biome-ignore lint: control characters are what this expression is about
  assert.doesNotMatch(out, /[\u0000-\u0009\u000b-\u001f\u202e]/);
});

describe('a question that cannot be answered', () => {
  for (const [name, args, code, words] of [
    ['without a machine', [], 64, /needs a machine, --all or --deleted/],
    ['of two kinds', ['node00', '--all'], 64, /takes one of/],
    [
      'with a time that is none',
      ['node00', '--since', 'noon'],
      64,
      /--since takes a time such as 2h/,
    ],
    [
      'of a cluster that is not there',
      ['--all', '--cluster', 'x'],
      64,
      /no cluster "x" in .*elsewhere or shop/,
    ],
    ['of a name that nothing has', ['node77'], 2, /Nothing was recorded of "node77"/],
  ] as const) {
    test(`${name} says so`, async () => {
      const result = await timeline(...args);
      assert.equal(result.code, code);
      assert.match(result.err, words);
    });
  }

  test('of several clusters without a name lists them', async () => {
    const { code, err } = await capture(['timeline', '--all', '--record', file]);
    assert.equal(code, 64);
    assert.match(err, /several clusters; name one: --cluster elsewhere or shop/);
  });

  test('of a file that is not there or no recording says so', async () => {
    const missing = await capture(['timeline', '--all', '--record', join(folder, 'none.db')]);
    assert.equal(missing.code, 64);
    assert.match(missing.err, /no such file: .*none\.db; record one: rollcall record --record/);
    const wrong = await capture(['timeline', '--all', '--record', import.meta.filename]);
    assert.equal(wrong.code, 69);
    assert.match(wrong.err, /is not a flight recorder/);
  });
});

test('a write of a controller is a line with its reason, and its end another', async () => {
  const path = join(folder, 'actions.db');
  const recorder = openRecorder(path);
  const action: Action = {
    id: 'a1',
    object: {
      resource: { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false },
      namespace: null,
      name: 'node00',
      seen: { uid: NODE_UID, resourceVersion: '7' },
    },
    write: { verb: 'delete', requires: 'same-object' },
    why: { kind: 'rule', name: 'gone', text: 'Its instance is terminated.' },
    askedBy: 'rollcall controller',
    undo: null,
  };
  const moment = { cluster: 'shop', atMs: START_MS, isDryRun: true };
  const end = { outcome: 'refused', why: 'The server does not allow it.', object: null } as const;
  await recorder.append([intendedRecord(action, moment), endedRecord(action, moment, end)]);
  await recorder.close();
  const { out } = await capture(['timeline', 'node00', '--record', path]);
  assert.match(
    out,
    /rollcall controller {4}about to delete \(dry run\): Its instance is terminated\.\n/,
  );
  assert.match(out, /rollcall controller {4}refused \(dry run\): The server does not allow it\.\n/);
});
