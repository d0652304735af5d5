import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import {
  openPostgres,
  questionOf,
  stepBackDatabase,
} from '../../src/adapters/recorder/postgres.ts';
import type { Recorder } from '../../src/ports/recorder.ts';
import { type Postgres, usePostgres, WITH_POSTGRES } from './postgres-server.ts';
import { event, isFailure } from './recorder.contract.ts';

let started: Postgres | null = null;
let databases = 0;

before(async () => {
  if (WITH_POSTGRES.skip === false) started = await usePostgres();
});
after(async () => started?.stop());

async function freshUrl(): Promise<string> {
  if (started === null) throw new Error('no server was started');
  databases += 1;
  await started.createDatabase(`back${databases}`);
  return started.urlOf(`back${databases}`);
}

async function during<T>(url: string, use: (recorder: Recorder) => Promise<T>): Promise<T> {
  const recorder = openPostgres(url);
  try {
    return await use(recorder);
  } finally {
    await recorder.close();
  }
}

async function asked(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** As version 1 of the tables was made. */
const VERSION_1 = `
  CREATE TABLE rollcall_schema (version INTEGER NOT NULL);
  INSERT INTO rollcall_schema VALUES (1);
  CREATE TABLE rollcall_event (
    sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cluster TEXT NOT NULL, at_ms BIGINT NOT NULL, received_ms BIGINT NOT NULL,
    subject TEXT NOT NULL, subject_kind TEXT NOT NULL, uid TEXT, kind TEXT NOT NULL,
    source TEXT NOT NULL, boot TEXT, skew_ms BIGINT, key TEXT, body TEXT NOT NULL
  );
  CREATE INDEX rollcall_event_of_time ON rollcall_event (cluster, at_ms, sequence);
  CREATE INDEX rollcall_event_of_subject ON rollcall_event (cluster, subject, at_ms, sequence);
  CREATE INDEX rollcall_event_of_uid ON rollcall_event (cluster, uid, at_ms, sequence)
    WHERE uid IS NOT NULL;
  CREATE UNIQUE INDEX rollcall_event_of_key ON rollcall_event (cluster, key)
    WHERE key IS NOT NULL;
  CREATE TABLE rollcall_note (
    cluster TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (cluster, id)
  );
  INSERT INTO rollcall_note VALUES ('one', 'seen', '[1]');
`;

/** As the release before writes a verdict. */
function rowOf1(atMs: number, key: string): string {
  return `INSERT INTO rollcall_event (cluster, at_ms, received_ms, subject, subject_kind, uid, kind,
      source, boot, skew_ms, key, body)
    VALUES ('one', ${atMs}, 8, 'node-a', 'Node', 'u', 'verdict', 'test', 'b', -3, '${key}',
      '{"a":1}')
    ON CONFLICT (cluster, key) WHERE key IS NOT NULL DO NOTHING`;
}

const ROW_OF_1 = event(7, {
  receivedMs: 8,
  subject: 'node-a',
  subjectKind: 'Node',
  uid: 'u',
  kind: 'verdict',
  boot: 'b',
  skewMs: -3,
  key: 'k',
  body: { a: 1 },
});
const ALL = { cluster: 'one', limit: 99 };

/** The version, the columns and the indexes. */
async function shapeOf(url: string): Promise<readonly unknown[]> {
  return [
    await asked(url, 'SELECT version FROM rollcall_schema'),
    await asked(
      url,
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
        WHERE table_name LIKE 'rollcall%' ORDER BY table_name, ordinal_position`,
    ),
    await asked(
      url,
      "SELECT indexdef FROM pg_indexes WHERE tablename LIKE 'rollcall%' ORDER BY indexname",
    ),
  ];
}

async function ofVersion1(): Promise<string> {
  const url = await freshUrl();
  await asked(url, VERSION_1);
  await asked(url, rowOf1(7, 'k'));
  return url;
}

describe('PostgreSQL one version back and forward', WITH_POSTGRES, () => {
  test('tables of the version before come forward, and go back to exactly that', async () => {
    const url = await ofVersion1();
    const shape = await shapeOf(url);
    await during(url, async (recorder) => {
      assert.deepEqual(await recorder.read(ALL), [ROW_OF_1]);
      await recorder.append([{ ...ROW_OF_1, atMs: 9, key: 'l' }]);
    });
    assert.notDeepEqual(await shapeOf(url), shape);
    await stepBackDatabase(url);
    assert.deepEqual(await shapeOf(url), shape);
    await stepBackDatabase(url);
    assert.deepEqual(await shapeOf(url), shape);
  });

  test('what either release writes is there once, in the end', async () => {
    const url = await ofVersion1();
    for (const turn of [1, 2, 3]) {
      await during(url, async (recorder) =>
        recorder.append([ROW_OF_1, { ...ROW_OF_1, atMs: 10 + turn, key: `new-${turn}` }]),
      );
      await stepBackDatabase(url);
      await asked(url, rowOf1(7, 'k'));
      await asked(url, rowOf1(20 + turn, `old-${turn}`));
    }
    await during(url, async (recorder) => {
      const rows = await recorder.read(ALL);
      assert.deepEqual(
        rows.map(({ atMs }) => atMs),
        [7, 11, 12, 13, 21, 22, 23],
      );
      assert.deepEqual(await recorder.read({ ...ALL, kinds: ['verdict'] }), rows);
      assert.deepEqual([...(await recorder.notes('one'))], [['seen', [1]]]);
    });
  });

  test('writers of this release that are connected lose nothing when the tables go back', async () => {
    const url = await ofVersion1();
    await during(url, async (recorder) => {
      await recorder.append([{ ...ROW_OF_1, atMs: 11, key: 'before' }]);
      await stepBackDatabase(url);
      await recorder.append([{ ...ROW_OF_1, atMs: 12, key: 'after' }]);
      assert.equal((await recorder.read({ ...ALL, kinds: ['verdict'] })).length, 3);
    });
  });
});

describe('PostgreSQL that is not one version back', WITH_POSTGRES, () => {
  test('is refused with the command that steps it back', async () => {
    const empty = isFailure('unsupported', /is empty; only version 2 is stepped back/);
    await assert.rejects(stepBackDatabase(await freshUrl()), empty);
    const url = await ofVersion1();
    await asked(url, 'UPDATE rollcall_schema SET version = 3');
    const place = url.slice(url.indexOf('@') + 1);
    const command = isFailure(
      'unsupported',
      new RegExp(`newer version .*rollcall record --record postgres://${place} --step-back\\.$`),
    );
    await assert.rejects(stepBackDatabase(url), command);
    await during(url, async (recorder) => assert.rejects(recorder.clusters(), command));
  });

  test('the last verdicts are read through their own index among many rows', async () => {
    const url = await freshUrl();
    const rows = Array.from({ length: 20_000 }, (_, index) =>
      event(index, { kind: index % 1000 === 0 ? 'verdict' : 'condition' }),
    );
    await during(url, async (recorder) => recorder.append(rows));
    await asked(url, 'ANALYZE rollcall_event');
    const { sql, values } = questionOf({ ...ALL, kinds: ['verdict'] });
    const client = new Client({ connectionString: url });
    await client.connect();
    const plan = await client.query(`EXPLAIN ${sql}`, values);
    await client.end();
    const text = plan.rows.map((row) => Object.values(row as object).join(' ')).join('\n');
    assert.match(text, /Index Scan Backward using rollcall_event_of_few/);
    assert.doesNotMatch(text, /Seq Scan/);
  });
});
