import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { Json } from '../../evidence/json.ts';
import type {
  Forgotten,
  RecordedEvent,
  RecordedNote,
  RecordedRange,
} from '../../ports/recorder.ts';
import { eventOf, type EventRow, noteRowOf, rowOf } from './row.ts';
import { INSERT, keptStatements, rangeQuestion } from './statements.ts';

/** Rows that one transaction deletes at most: whoever else writes waits no longer than for these. */
const DELETED_MAX = 20_000;

/** The recorder over an open database; it throws what SQLite throws. */
export class SqliteRecorder {
  readonly #database: DatabaseSync;
  readonly #statement: (sql: string) => StatementSync;
  /** Numbers of clusters by their names. */
  readonly #clusters = new Map<string, number>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statement = keptStatements(database);
  }

  append(events: readonly RecordedEvent[], notes: readonly RecordedNote[]): number {
    const rows = events.map(rowOf);
    const noted = notes.map((note) => ({ ...note, text: noteRowOf(note) }));
    if (rows.length + noted.length === 0) return this.#mustBeOpen();
    return this.#wholly(() => {
      let added = 0;
      for (const row of rows) added += this.#insert(row);
      for (const { cluster, id, text } of noted) this.#note(this.#numberOf(cluster), id, text);
      return added;
    });
  }

  read(range: RecordedRange): readonly RecordedEvent[] {
    const { cluster } = range;
    const { sql, values } = rangeQuestion(this.#known(cluster) ?? -1, range);
    const rows = this.#statement(sql).all(...values);
    return rows
      .map((row) =>
        eventOf({ ...row, cluster } as Readonly<Record<keyof RecordedEvent, SQLOutputValue>>),
      )
      .toReversed();
  }

  notes(cluster: string): ReadonlyMap<string, Json> {
    const rows = this.#statement('SELECT id, body FROM note WHERE cluster = ? ORDER BY id').all(
      this.#known(cluster) ?? -1,
    );
    return new Map(rows.map(({ id, body }) => [String(id), JSON.parse(String(body)) as Json]));
  }

  clusters(): readonly string[] {
    const rows = this.#statement(`SELECT name FROM cluster WHERE
        EXISTS (SELECT 1 FROM event INDEXED BY event_of_time WHERE cluster = cluster.id)
        OR EXISTS (SELECT 1 FROM note WHERE cluster = cluster.id) ORDER BY name`).all();
    return rows.map(({ name }) => String(name));
  }

  forgetBefore(cluster: string, beforeMs: number): number {
    const number = this.#known(cluster) ?? -1;
    const forget = this.#statement(`DELETE FROM event WHERE sequence IN (
      SELECT sequence FROM event INDEXED BY event_of_time
      WHERE cluster = ? AND at_ms < ? AND received_ms < ? LIMIT ${DELETED_MAX})`);
    let forgotten = 0;
    for (;;) {
      const changes = Number(forget.run(number, beforeMs, beforeMs).changes);
      forgotten += changes;
      if (changes < DELETED_MAX) break;
    }
    if (forgotten > 0) this.#database.exec('PRAGMA incremental_vacuum');
    return forgotten;
  }

  shrinkTo(bytesMax: number): Forgotten {
    let rows = 0;
    let untilMs: number | null = null;
    for (let bytes = this.#bytes(); bytes > bytesMax; bytes = this.#bytes()) {
      const cut = this.#oldest(1 - bytesMax / bytes);
      if (cut === null) break;
      untilMs = Math.max(untilMs ?? cut.untilMs, cut.untilMs);
      rows += Number(
        this.#statement('DELETE FROM event WHERE sequence <= ?').run(cut.last).changes,
      );
    }
    if (rows > 0) this.#database.exec('PRAGMA incremental_vacuum');
    return { rows, untilMs };
  }

  /** An empty batch to a recorder that is closed is a mistake too. */
  #mustBeOpen(): number {
    this.#database.exec('');
    return 0;
  }

  #wholly<T>(work: () => T): T {
    // The write lock comes first, so that two programs do not wait for one another.
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      // A number that was given in there is taken back.
      this.#clusters.clear();
      throw error;
    }
  }

  #insert(row: EventRow): number {
    const result = this.#statement(INSERT).run(
      this.#numberOf(row.cluster),
      row.atMs,
      row.receivedMs,
      row.subject,
      row.subjectKind,
      row.uid,
      row.kind,
      row.source,
      row.boot,
      row.skewMs,
      row.key,
      row.body,
    );
    return Number(result.changes);
  }

  #note(cluster: number, id: string, text: string | null): void {
    if (text === null)
      this.#statement('DELETE FROM note WHERE cluster = ? AND id = ?').run(cluster, id);
    else this.#statement('INSERT OR REPLACE INTO note VALUES (?, ?, ?)').run(cluster, id, text);
  }

  #known(cluster: string): number | null {
    const known = this.#clusters.get(cluster);
    if (known !== undefined) return known;
    const id = this.#statement('SELECT id FROM cluster WHERE name = ?').get(cluster)?.['id'];
    if (id === undefined) return null;
    this.#clusters.set(cluster, Number(id));
    return Number(id);
  }

  #numberOf(cluster: string): number {
    const known = this.#known(cluster);
    if (known !== null) return known;
    const { lastInsertRowid } = this.#statement('INSERT INTO cluster (name) VALUES (?)').run(
      cluster,
    );
    this.#clusters.set(cluster, Number(lastInsertRowid));
    return Number(lastInsertRowid);
  }

  /** Of the file without its free pages. */
  #bytes(): number {
    const one = (name: string): number =>
      Number(this.#statement(`PRAGMA ${name}`).get()?.[name] ?? 0);
    return (one('page_count') - one('freelist_count')) * one('page_size');
  }

  /** The last of the share of rows that came first, at most so many as one transaction deletes. */
  #oldest(share: number): { readonly last: number; readonly untilMs: number } | null {
    const ends = this.#statement(
      'SELECT min(sequence) AS first, max(sequence) AS last FROM event',
    ).get();
    if (ends?.['first'] === null || ends === undefined) return null;
    const first = Number(ends['first']);
    const span = Number(ends['last']) - first + 1;
    const last = first + Math.min(DELETED_MAX, Math.ceil(span * Math.max(share, 0.01))) - 1;
    const found = this.#statement(
      'SELECT max(received_ms) AS untilMs FROM event WHERE sequence <= ?',
    ).get(last);
    return { last, untilMs: Number(found?.['untilMs']) };
  }
}
