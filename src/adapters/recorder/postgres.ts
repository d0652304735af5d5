import { Pool, type PoolClient } from 'pg';
import type { Json } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import type {
  Forgotten,
  RecordedEvent,
  RecordedNote,
  RecordedRange,
  Recorder,
} from '../../ports/recorder.ts';
import { areFew, FEW_KINDS_TERM } from './few-kinds.ts';
import { isOfConnection, isTakenBack, postgresReason } from './postgres-failure.ts';
import { migratePostgres, stepBackPostgres } from './postgres-schema.ts';
import { eventOf, type EventRow, noteRowOf, rowOf } from './row.ts';

const CONNECTIONS_MAX = 4;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
const LIMIT_MAX = 100_000;
/** Rows that one transaction deletes at most. */
const DELETED_MAX = 20_000;
const TRIES_MAX = 5;
/** Keeps Rollcall's advisory locks apart from those of other programs in the same database. */
const LOCKS = 0x52_6f_6c_6c;

/** Columns in the order of the table, with what reads them from a row and their types. */
const COLUMNS: readonly (readonly [string, keyof EventRow, string])[] = [
  ['cluster', 'cluster', 'text'],
  ['at_ms', 'atMs', 'bigint'],
  ['received_ms', 'receivedMs', 'bigint'],
  ['subject', 'subject', 'text'],
  ['subject_kind', 'subjectKind', 'text'],
  ['uid', 'uid', 'text'],
  ['kind', 'kind', 'text'],
  ['source', 'source', 'text'],
  ['boot', 'boot', 'text'],
  ['skew_ms', 'skewMs', 'bigint'],
  ['key', 'key', 'text'],
  ['body', 'body', 'text'],
];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, , type], index) => `$${index + 1}::${type}[]`).join(', ');
const INSERT = `INSERT INTO rollcall_event (${NAMES}) SELECT * FROM unnest(${ARRAYS})
  ON CONFLICT (cluster, key) WHERE key IS NOT NULL DO NOTHING`;
const SELECTED = COLUMNS.map(([name, field]) => `${name} AS "${field}"`).join(', ');

/** Each cluster by one step through the index, however many rows it has. */
const CLUSTERS = `WITH RECURSIVE one AS (
    (SELECT cluster FROM rollcall_event ORDER BY cluster LIMIT 1)
    UNION ALL
    SELECT (SELECT cluster FROM rollcall_event WHERE cluster > one.cluster
      ORDER BY cluster LIMIT 1) FROM one WHERE one.cluster IS NOT NULL
  )
  SELECT cluster FROM one WHERE cluster IS NOT NULL
  UNION SELECT DISTINCT cluster FROM rollcall_note`;

/** Rows and, about as much again, their indexes. */
const BYTES = 'SELECT coalesce(sum(pg_column_size(e)), 0) * 2 AS bytes FROM rollcall_event e';

/**
 * The flight recorder in PostgreSQL, into which several programs and clusters may write. It connects
 * with its first call and again after any failure, so that a server which is away is a failure of
 * that call only.
 *
 * @param url `postgres://USER@HOST/DATABASE`; the password may also come from PGPASSWORD or ~/.pgpass
 */
export function openPostgres(url: string): Recorder {
  const recorder = new PostgresRecorder(url);
  return {
    append: async (events, notes = []) => recorder.append(events, notes),
    read: async (range) => recorder.read(range),
    notes: async (cluster) => recorder.notes(cluster),
    clusters: async () => recorder.clusters(),
    forgetBefore: async (cluster, beforeMs) => recorder.forgetBefore(cluster, beforeMs),
    shrinkTo: async (bytesMax) => recorder.shrinkTo(bytesMax),
    close: async () => recorder.close(),
  };
}

/**
 * Brings the tables of a database to the version that the release before takes.
 *
 * @throws PortError as each call of the recorder, and `unsupported` where there is nothing to step back
 */
export async function stepBackDatabase(url: string): Promise<void> {
  const recorder = new PostgresRecorder(url);
  try {
    await recorder.stepBack();
  } finally {
    await recorder.close();
  }
}

/** Without user and password. */
function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname === '' ? 'localhost' : hostname}:${port === '' ? 5432 : port}${pathname}`;
}

type Work<T> = (client: PoolClient) => Promise<T>;

class PostgresRecorder {
  readonly #place: string;
  readonly #pool: Pool;
  #isReady = false;
  #isClosed = false;

  constructor(url: string) {
    this.#place = placeOf(url);
    this.#pool = new Pool({
      connectionString: url,
      max: CONNECTIONS_MAX,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      // A server that is silent ends no statement by itself.
      query_timeout: STATEMENT_MS + CONNECT_MS,
      application_name: 'rollcall',
      keepAlive: true,
    });
    // A connection that breaks while nobody uses it is opened again by the next call.
    this.#pool.on('error', () => undefined);
  }

  async append(events: readonly RecordedEvent[], notes: readonly RecordedNote[]): Promise<number> {
    const rows = events.map(rowOf);
    const noted = notes.map((note) => ({ ...note, text: noteRowOf(note) }));
    this.#mustBeOpen();
    if (rows.length + noted.length === 0) return 0;
    // A lost answer leaves open whether rows are stored: with keys they may be offered again.
    const isRepeatable = rows.every(({ key }) => key !== null);
    return this.#asked(isRepeatable, (client) =>
      wholly(client, async () => {
        await waitForWriters(client, [...rows, ...noted]);
        const added = rows.length === 0 ? 0 : await insert(client, rows);
        for (const { cluster, id, text } of noted) await putNote(client, cluster, id, text);
        return added;
      }),
    );
  }

  async read(range: RecordedRange): Promise<readonly RecordedEvent[]> {
    const { sql, values } = questionOf(range);
    const rows = await this.#asked(true, async (client) => (await client.query(sql, values)).rows);
    return rows.map(eventOf).toReversed();
  }

  async notes(cluster: string): Promise<ReadonlyMap<string, Json>> {
    const sql = 'SELECT id, body FROM rollcall_note WHERE cluster = $1';
    const rows = await this.#asked(
      true,
      async (client) => (await client.query(sql, [cluster])).rows,
    );
    return new Map(rows.map(({ id, body }) => [String(id), JSON.parse(String(body)) as Json]));
  }

  async clusters(): Promise<readonly string[]> {
    const rows = await this.#asked(true, async (client) => (await client.query(CLUSTERS)).rows);
    return rows.map(({ cluster }) => String(cluster)).toSorted();
  }

  async forgetBefore(cluster: string, beforeMs: number): Promise<number> {
    const sql = `DELETE FROM rollcall_event WHERE sequence IN (SELECT sequence FROM rollcall_event
      WHERE cluster = $1 AND at_ms < $2 AND received_ms < $2 LIMIT ${DELETED_MAX})`;
    let forgotten = 0;
    for (;;) {
      const { rowCount } = await this.#asked(true, async (client) =>
        client.query(sql, [cluster, beforeMs]),
      );
      forgotten += rowCount ?? 0;
      if ((rowCount ?? 0) < DELETED_MAX) return forgotten;
    }
  }

  async shrinkTo(bytesMax: number): Promise<Forgotten> {
    let rows = 0;
    let untilMs: number | null = null;
    for (;;) {
      const cut = await this.#asked(true, async (client) => forgetOldest(client, bytesMax));
      if (cut.untilMs === null) return { rows, untilMs };
      rows += cut.rows;
      untilMs = Math.max(untilMs ?? cut.untilMs, cut.untilMs);
    }
  }

  async stepBack(): Promise<void> {
    // Tables of an older version are not to be brought forward first.
    this.#isReady = true;
    await this.#asked(true, async (client) => stepBackPostgres(client, this.#place));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  #mustBeOpen(): void {
    if (!this.#isClosed) return;
    const message = `PostgreSQL ${this.#place} is already closed.`;
    throw new PortError({ failure: 'unavailable', message });
  }

  /** Does something over one connection; again over another where that is harmless. */
  async #asked<T>(isRepeatable: boolean, work: Work<T>): Promise<T> {
    this.#mustBeOpen();
    for (let tries = 1; ; tries++) {
      try {
        return await this.#connected(work);
      } catch (error) {
        if (error instanceof PortError) throw error;
        if (isTakenBack(error) && tries < TRIES_MAX) continue;
        const reason = postgresReason(this.#place, error);
        // A server that restarted has closed the connections of before.
        if (!isRepeatable || !isOfConnection(reason) || tries > CONNECTIONS_MAX) throw reason;
      }
    }
  }

  async #connected<T>(work: Work<T>): Promise<T> {
    const client = await this.#pool.connect();
    // Between two queries nobody else hears of a connection that breaks.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    let isBroken = true;
    try {
      if (!this.#isReady) await migratePostgres(client, this.#place);
      this.#isReady = true;
      const result = await work(client);
      isBroken = false;
      return result;
    } finally {
      client.off('error', ignore);
      client.release(isBroken);
    }
  }
}

async function wholly<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * Until the transaction ends, other writers of the same clusters wait: two that insert the same facts
 * in different orders would each wait for the other.
 */
async function waitForWriters(
  client: PoolClient,
  written: readonly { readonly cluster: string }[],
): Promise<void> {
  const clusters = new Set(written.map(({ cluster }) => cluster));
  for (const cluster of [...clusters].toSorted())
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCKS, cluster]);
}

async function insert(client: PoolClient, rows: readonly EventRow[]): Promise<number> {
  const values = COLUMNS.map(([, field]) => rows.map((row) => row[field]));
  const { rowCount } = await client.query({ name: 'rollcall-insert', text: INSERT, values });
  return rowCount ?? 0;
}

async function putNote(
  client: PoolClient,
  cluster: string,
  id: string,
  text: string | null,
): Promise<void> {
  if (text === null)
    await client.query('DELETE FROM rollcall_note WHERE cluster = $1 AND id = $2', [cluster, id]);
  else
    await client.query(
      `INSERT INTO rollcall_note VALUES ($1, $2, $3)
        ON CONFLICT (cluster, id) DO UPDATE SET body = excluded.body`,
      [cluster, id, text],
    );
}

/** What reads a range: the newest first, so that the limit keeps them. */
export function questionOf(range: RecordedRange): {
  readonly sql: string;
  readonly values: unknown[];
} {
  const { cluster, subject, uid, kinds, exceptKinds, fromMs, toMs, limit } = range;
  const values: unknown[] = [];
  const where: string[] = [];
  const need = (condition: string, value: unknown): void => {
    values.push(value);
    where.push(condition.replace('?', `$${values.length}`));
  };
  need('cluster = ?', cluster);
  need('at_ms >= ?', fromMs ?? Number.MIN_SAFE_INTEGER);
  need('at_ms <= ?', toMs ?? Number.MAX_SAFE_INTEGER);
  if (subject !== undefined) need('subject = ?', subject);
  if (uid !== undefined) need('uid = ?', uid);
  if (kinds !== undefined) need('kind = ANY(?::text[])', kinds);
  if (kinds !== undefined && areFew(kinds)) where.push(FEW_KINDS_TERM);
  if (exceptKinds !== undefined) need('kind <> ALL(?::text[])', exceptKinds);
  values.push(Math.max(0, Math.min(Math.floor(limit), LIMIT_MAX)));
  const sql = `SELECT ${SELECTED} FROM rollcall_event WHERE ${where.join(' AND ')}
    ORDER BY at_ms DESC, sequence DESC LIMIT $${values.length}`;
  return { sql, values };
}

/** One step: the oldest of what is too much, as far as one transaction may go. */
async function forgetOldest(client: PoolClient, bytesMax: number): Promise<Forgotten> {
  const bytes = Number((await client.query(BYTES)).rows[0]?.bytes ?? 0);
  if (bytes <= bytesMax) return { rows: 0, untilMs: null };
  const ends = await client.query(
    'SELECT min(sequence) AS first, max(sequence) AS last FROM rollcall_event',
  );
  const first = Number(ends.rows[0]?.first ?? 0);
  const span = Number(ends.rows[0]?.last ?? 0) - first + 1;
  const share = Math.max(0.01, 1 - bytesMax / bytes);
  const last = first + Math.min(DELETED_MAX, Math.ceil(span * share)) - 1;
  const { rows } = await client.query(
    `WITH gone AS (DELETE FROM rollcall_event WHERE sequence <= $1 RETURNING received_ms)
      SELECT count(*) AS rows, max(received_ms) AS until FROM gone`,
    [last],
  );
  return { rows: Number(rows[0]?.rows ?? 0), untilMs: Number(rows[0]?.until ?? 0) };
}
