import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openPostgres } from '../../src/adapters/recorder/postgres.ts';
import { postgresReason } from '../../src/adapters/recorder/postgres-failure.ts';
import type { Recorder } from '../../src/ports/recorder.ts';
import { type Postgres, usePostgres, WITH_POSTGRES } from './postgres-server.ts';
import { event, isFailure, recorderContract } from './recorder.contract.ts';

let started: Postgres | null = null;
let databases = 0;

before(async () => {
  if (WITH_POSTGRES.skip === false) started = await usePostgres();
});
after(async () => started?.stop());

function server(): Postgres {
  if (started === null) throw new Error('no server was started');
  return started;
}

async function freshUrl(): Promise<string> {
  databases += 1;
  await server().createDatabase(`flight${databases}`);
  return server().urlOf(`flight${databases}`);
}

async function during<T>(url: string, use: (recorder: Recorder) => Promise<T>): Promise<T> {
  const recorder = openPostgres(url);
  try {
    return await use(recorder);
  } finally {
    await recorder.close();
  }
}

/** What a statement answers, by a connection of the test's. */
async function asked(url: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

describe('every recorder', WITH_POSTGRES, () => {
  recorderContract('in PostgreSQL', async () => openPostgres(await freshUrl()));
});

describe('PostgreSQL with several writers', WITH_POSTGRES, () => {
  test('several programs create the tables and write at once, each fact once', async () => {
    const url = await freshUrl();
    const recorders = Array.from({ length: 6 }, () => openPostgres(url));
    const events = Array.from({ length: 400 }, (_, index) => event(index, { key: `k${index}` }));
    const shifted = (by: number): typeof events => [...events.slice(by), ...events.slice(0, by)];
    const added = await Promise.all(
      recorders.map(async (recorder, index) => recorder.append(shifted(index * 70))),
    );
    assert.equal(
      added.reduce((sum, one) => sum + one, 0),
      400,
    );
    await Promise.all(recorders.map(async (recorder) => recorder.close()));
    await during(url, async (recorder) => {
      assert.equal((await recorder.read({ cluster: 'one', limit: 9999 })).length, 400);
    });
  });
});

describe('PostgreSQL that goes away', WITH_POSTGRES, () => {
  test('connections that the server closed are opened again by the next call', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      await recorder.append([event(1)]);
      const others = 'FROM pg_stat_activity WHERE datname = current_database()';
      const end = `SELECT pg_terminate_backend(pid) ${others} AND pid <> pg_backend_pid()`;
      await asked(url, end);
      assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 1);
      await asked(url, end);
      assert.equal(await recorder.append([event(2, { key: 'k' })]), 1);
    });
  });

  test('a batch whose connection ends in the middle is offered again where that doubles nothing', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => recorder.clusters());
    await asked(
      url,
      `CREATE SEQUENCE tries; CREATE FUNCTION end_it() RETURNS trigger AS $$ BEGIN
        IF nextval('tries') % 2 = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
        RETURN NEW; END $$ LANGUAGE plpgsql;
      CREATE TRIGGER ending BEFORE INSERT ON rollcall_event FOR EACH ROW EXECUTE FUNCTION end_it()`,
    );
    await during(url, async (recorder) => {
      const ended = isFailure('unreachable', /ended the connection/);
      await assert.rejects(recorder.append([event(1)]), ended);
      await asked(url, "SELECT setval('tries', 2)");
      assert.equal(await recorder.append([event(2, { key: 'k' })]), 1);
      const kept = await recorder.read({ cluster: 'one', limit: 9 });
      assert.deepEqual(
        kept.map(({ atMs }) => atMs),
        [2],
      );
    });
  });
});

describe('tables in PostgreSQL', WITH_POSTGRES, () => {
  test('tables of a newer program are left alone', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => recorder.clusters());
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('UPDATE rollcall_schema SET version = 99');
    await client.end();
    await during(url, async (recorder) => {
      await assert.rejects(recorder.append([event(1)]), isFailure('unsupported', /newer version/));
    });
  });

  test('a subject is read through its index among many rows', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      const events = Array.from({ length: 20_000 }, (_, index) =>
        event(index, { subject: `node-${index % 500}` }),
      );
      await recorder.append(events);
    });
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('ANALYZE rollcall_event');
    const { rows } = await client.query(`EXPLAIN SELECT * FROM rollcall_event WHERE
      cluster = 'one' AND at_ms >= 0 AND at_ms <= 99999 AND subject = 'node-7'
      ORDER BY at_ms DESC, sequence DESC LIMIT 100`);
    await client.end();
    const plan = rows.map((one) => Object.values(one as object).join(' ')).join('\n');
    assert.match(plan, /Index Scan Backward using rollcall_event_of_subject/);
    assert.doesNotMatch(plan, /Seq Scan|Sort/);
  });

  test('a database that is not there and a user who may not are reported without the password', async () => {
    const secret = 'a-password-of-ours';
    const url = server().urlOf('nowhere').replace('rollcall@', `rollcall:${secret}@`);
    await during(url, async (recorder) => {
      await assert.rejects(recorder.clusters(), (error) => {
        assert.ok(isFailure('not-found', /\/nowhere does not exist; create it: createdb/)(error));
        assert.ok(error instanceof Error && !error.message.includes(secret));
        return true;
      });
    });
    const url2 = await freshUrl();
    const client = new Client({ connectionString: url2 });
    await client.connect();
    await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    await client.query('DROP ROLE IF EXISTS guest');
    await client.query('CREATE ROLE guest LOGIN');
    await client.end();
    await during(url2.replace('rollcall@', 'guest@'), async (recorder) => {
      await assert.rejects(
        recorder.append([event(1)]),
        isFailure('denied', /does not let this user/),
      );
    });
  });
});

test('a server that does not listen is unreachable', async () => {
  const recorder = openPostgres('postgres://rollcall:secret-word@127.0.0.1:1/flight');
  const unreachable = isFailure(
    'unreachable',
    /^PostgreSQL 127\.0\.0\.1:1\/flight cannot be reached \(ECONNREFUSED\)\.$/,
  );
  await assert.rejects(recorder.read({ cluster: 'one', limit: 1 }), unreachable);
  await recorder.close();
});

for (const [code, failure, words] of [
  ['28P01', 'unauthenticated', /user or password/],
  ['42501', 'denied', /does not let this user/],
  ['3D000', 'not-found', /does not exist/],
  ['53100', 'unavailable', /no room/],
  ['57P01', 'unreachable', /ended the connection/],
  ['57P03', 'unavailable', /starting or stopping/],
  ['57014', 'timeout', /took too long/],
  ['25006', 'unavailable', /read-only/],
  ['22P05', 'invalid', /does not take these rows/],
  ['ETIMEDOUT', 'timeout', /does not answer/],
  ['XX000', 'unavailable', /could not be used as a flight recorder \(XX000\)/],
] as const) {
  test(`SQLSTATE ${code} is ${failure}`, () => {
    const error = postgresReason('db/flight', Object.assign(new Error('said'), { code }));
    assert.equal(error.failure, failure);
    assert.match(error.message, words);
    assert.match(error.message, /^PostgreSQL db\/flight .*\.$/);
  });
}
