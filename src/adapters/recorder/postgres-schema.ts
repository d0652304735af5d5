import type { PoolClient } from 'pg';
import { FEW_KINDS_TERM } from './few-kinds.ts';
import { newerTables, olderTables } from './versions.ts';

/** What `rollcall_schema` says of the tables that this program writes. */
export const POSTGRES_VERSION = 2;
/** Programs that start at once create the tables one after the other; any number will do. */
const LOCK = 0x526f6c6c;

const TABLES = `
  CREATE TABLE rollcall_event (
    sequence BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cluster TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    received_ms BIGINT NOT NULL,
    subject TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    uid TEXT,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    boot TEXT,
    skew_ms BIGINT,
    key TEXT,
    body TEXT NOT NULL
  );
  CREATE INDEX rollcall_event_of_time ON rollcall_event (cluster, at_ms, sequence);
  CREATE INDEX rollcall_event_of_subject ON rollcall_event (cluster, subject, at_ms, sequence);
  CREATE INDEX rollcall_event_of_uid ON rollcall_event (cluster, uid, at_ms, sequence)
    WHERE uid IS NOT NULL;
  CREATE UNIQUE INDEX rollcall_event_of_key ON rollcall_event (cluster, key)
    WHERE key IS NOT NULL;
  CREATE TABLE rollcall_note (
    cluster TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (cluster, id)
  );
`;

/** Version 1 read the last verdicts and all ends of a cluster through the rows of everything. */
const FROM_1 = `CREATE INDEX rollcall_event_of_few ON rollcall_event (cluster, at_ms, sequence)
  WHERE ${FEW_KINDS_TERM}`;

/** From the present version to the one before: nothing of a row is in what goes. */
const BACK = 'DROP INDEX rollcall_event_of_few';

/** From each version to the next one. */
const MIGRATIONS: Readonly<Record<number, string>> = { 0: TABLES, 1: FROM_1 };

/**
 * Creates the tables or brings them to the present version, all or nothing. The program that only
 * reads needs no right to create, where they are there.
 *
 * @throws PortError `unsupported` for tables of a newer version
 */
export async function migratePostgres(client: PoolClient, place: string): Promise<void> {
  if ((await versionOf(client, place)) === POSTGRES_VERSION) return;
  await alone(client, async () => bringForward(client, place));
}

/**
 * Brings the tables to the version before the present one, which the release before takes; tables
 * that have it already stay as they are.
 *
 * @throws PortError `unsupported` for tables of a newer version, or none
 */
export async function stepBackPostgres(client: PoolClient, place: string): Promise<void> {
  await alone(client, async () => {
    const from = await versionOf(client, place);
    const target = POSTGRES_VERSION - 1;
    if (from < target) throw olderTables(`PostgreSQL ${place}`, from, target);
    if (from === target) return;
    await client.query(BACK);
    await setVersion(client, target);
  });
}

async function alone(client: PoolClient, work: () => Promise<void>): Promise<void> {
  // The lock comes before the transaction, which sees only what was there when it began.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    await client.query('BEGIN');
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
  }
}

async function setVersion(client: PoolClient, version: number): Promise<void> {
  await client.query('UPDATE rollcall_schema SET version = $1', [version]);
}

async function bringForward(client: PoolClient, place: string): Promise<void> {
  const from = await versionOf(client, place);
  if (from === POSTGRES_VERSION) return;
  if (from === 0) {
    await client.query('CREATE TABLE rollcall_schema (version INTEGER NOT NULL)');
    await client.query('INSERT INTO rollcall_schema VALUES (0)');
  }
  for (let version = from; version < POSTGRES_VERSION; version++)
    await client.query(MIGRATIONS[version] ?? '');
  await setVersion(client, POSTGRES_VERSION);
}

/** 0 where there are no tables. */
async function versionOf(client: PoolClient, place: string): Promise<number> {
  const there = await client.query("SELECT to_regclass('rollcall_schema') AS found");
  if (there.rows[0]?.found === null) return 0;
  const { rows } = await client.query('SELECT version FROM rollcall_schema');
  const version = Number(rows[0]?.version ?? 0);
  if (version <= POSTGRES_VERSION) return version;
  throw newerTables(`PostgreSQL ${place}`, `postgres://${place}`, version, POSTGRES_VERSION);
}
