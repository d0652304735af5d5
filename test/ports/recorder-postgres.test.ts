import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { openPostgres } from '../../src/adapters/recorder/postgres.ts';
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
async function asked(
  url: string,
  sql: string,
): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(sql);
  } finally {
    await client.end();
  }
}

/** How often the server has taken a transaction of this database back for another's sake. */
async function deadlocks(url: string): Promise<number> {
  const { rows } = await asked(
    url,
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(rows[0]?.['deadlocks']);
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

  test('writers that offer the same facts in opposite orders wait for each other', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => recorder.clusters());
    const earlier = await deadlocks(url);
    const events = Array.from({ length: 2000 }, (_, index) => event(index, { key: `k${index}` }));
    const notes = ['a', 'b', 'c'].map((id) => ({ cluster: 'one', id, body: 1 }));
    const recorders = Array.from({ length: 8 }, () => openPostgres(url));
    await Promise.all(
      recorders.map(async (recorder, index) =>
        index % 2 === 0
          ? recorder.append(events, notes)
          : recorder.append(events.toReversed(), notes.toReversed()),
      ),
    );
    await Promise.all(recorders.map(async (recorder) => recorder.close()));
    assert.equal(await deadlocks(url), earlier);
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

describe('PostgreSQL that takes a batch back', WITH_POSTGRES, () => {
  const refusing = (isRefused: string) => `CREATE SEQUENCE tries;
    CREATE FUNCTION refuse() RETURNS trigger AS $$ BEGIN
      IF ${isRefused} THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
      RETURN NEW; END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refusing BEFORE INSERT ON rollcall_event FOR EACH ROW EXECUTE FUNCTION refuse()`;

  test('is offered it again, five times in all', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      await recorder.clusters();
      await asked(url, refusing("nextval('tries') < 5"));
      assert.equal(await recorder.append([event(1)]), 1);
    });
    const other = await freshUrl();
    await during(other, async (recorder) => {
      await recorder.clusters();
      await asked(other, refusing("nextval('tries') > 0"));
      const given = isFailure('unavailable', /gave way to another writer/);
      await assert.rejects(recorder.append([event(1)]), given);
      const { rows } = await asked(other, "SELECT nextval('tries')::int AS next");
      assert.equal(rows[0]?.next, 6);
      assert.equal((await recorder.read({ cluster: 'one', limit: 9 })).length, 0);
    });
  });
});

describe('room in PostgreSQL', WITH_POSTGRES, () => {
  const BYTES = 'SELECT sum(pg_column_size(e))::int * 2 AS bytes FROM rollcall_event e';

  test('is made of exactly what is too much', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      await recorder.append(Array.from({ length: 100 }, (_, index) => event(100 + index)));
      const { rows } = await asked(url, BYTES);
      const half = Number(rows[0]?.bytes) / 2;
      assert.deepEqual(await recorder.shrinkTo(half), { rows: 50, untilMs: 149 });
      assert.deepEqual(await recorder.shrinkTo(half), { rows: 0, untilMs: null });
      const left = await recorder.read({ cluster: 'one', limit: 999 });
      assert.deepEqual([left.length, left[0]?.atMs], [50, 150]);
    });
  });

  test('is made in several steps where more goes than one transaction deletes', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      const many = Array.from({ length: 20_100 }, (_, index) => event(30_000 - index));
      await recorder.append(many);
      assert.deepEqual(await recorder.shrinkTo(0), { rows: 20_100, untilMs: 30_000 });
      await recorder.append(many);
      assert.equal(await recorder.forgetBefore('one', 40_000), 20_100);
    });
  });
});

describe('a recorder in PostgreSQL', WITH_POSTGRES, () => {
  test('says to the server which program it is', async () => {
    const url = await freshUrl();
    await during(url, async (recorder) => {
      await recorder.clusters();
      const { rows } = await asked(
        url,
        'SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE datname = current_database()',
      );
      assert.ok(rows.some(({ name }) => name === 'rollcall'));
    });
  });

  test('takes not even an empty batch after it was closed', async () => {
    const recorder = openPostgres(await freshUrl());
    await recorder.close();
    await assert.rejects(recorder.append([]), isFailure('unavailable', /is already closed/));
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
