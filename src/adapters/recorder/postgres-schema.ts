import type { PoolClient } from 'pg';
import { PortError } from '../../ports/port-error.ts';

/** What `rollcall_schema` says of the tables that this program writes. */
export const POSTGRES_VERSION = 1;
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

/** From each version to the next one. */
const MIGRATIONS: Readonly<Record<number, string>> = { 0: TABLES };

/**
 * Creates the tables or brings them to the present version, all or nothing. The program that only
 * reads needs no right to create, where they are there.
 *
 * @throws PortError `unsupported` for tables of a newer version
 */
export async function migratePostgres(client: PoolClient, place: string): Promise<void> {
  if ((await versionOf(client, place)) === POSTGRES_VERSION) return;
  // The lock comes before the transaction, which sees only what was there when it began.
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    await client.query('BEGIN');
    await bringForward(client, place);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]).catch(() => undefined);
  }
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
  await client.query('UPDATE rollcall_schema SET version = $1', [POSTGRES_VERSION]);
}

/** 0 where there are no tables. */
async function versionOf(client: PoolClient, place: string): Promise<number> {
  const there = await client.query("SELECT to_regclass('rollcall_schema') AS found");
  if (there.rows[0]?.found === null) return 0;
  const { rows } = await client.query('SELECT version FROM rollcall_schema');
  const version = Number(rows[0]?.version ?? 0);
  if (version <= POSTGRES_VERSION) return version;
  const message = `PostgreSQL ${place} was written by a newer version of this program; update it first.`;
  throw new PortError({ failure: 'unsupported', message });
}
