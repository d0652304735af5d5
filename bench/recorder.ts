import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRecorder } from '../src/adapters/recorder/open.ts';
import { openPostgres } from '../src/adapters/recorder/postgres.ts';
import { keyOf } from '../src/collection/recording/change.ts';
import { foldRows } from '../src/collection/timeline/fold.ts';
import { gatherStory } from '../src/collection/timeline/gather.ts';
import type { RecordedEvent, Recorder } from '../src/ports/recorder.ts';
import { startPostgres, WITH_POSTGRES } from '../test/ports/postgres-server.ts';
import { median } from './measure.ts';
import { type Row, skipped } from './table.ts';

const ROWS = 1_000_000;
const ROWS_LARGE = 10_000_000;
const ROWS_POSTGRES = 200_000;
const MACHINES = 5000;
/** Machines that something happens to at a time, and how much until it is the others' turn. */
const ACTIVE = 200;
const ROWS_A_TURN = 50;
const BATCH = 2000;
const READ = 50;
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 100;

function instanceOf(machine: number): string {
  return `i-${machine.toString(16).padStart(17, '0')}`;
}

function uidOf(machine: number): string {
  return `00000000-0000-4000-8000-${machine.toString(16).padStart(12, '0')}`;
}

function activeAt(index: number): number {
  const turn = Math.floor(index / (ACTIVE * ROWS_A_TURN));
  return (turn * ACTIVE + (index % ACTIVE)) % MACHINES;
}

/** The first rows of each machine say which Node it is; then come Events of that Node. */
function rowAt(index: number): RecordedEvent {
  const isLink = index < MACHINES;
  const machine = isLink ? index : activeAt(index);
  const node = `ip-10-${machine >> 8}-${machine & 255}.eu-west-1.compute.internal`;
  const atMs = START_MS + index * STEP_MS;
  const link = {
    what: `Node ${node} belongs to this machine`,
    instance: instanceOf(machine),
    node,
  };
  const words = `Back-off restarting failed container agent in pod agent-${index % 977}`;
  return {
    atMs,
    receivedMs: atMs + 1500,
    cluster: 'shop',
    subject: isLink ? instanceOf(machine) : node,
    subjectKind: isLink ? 'Machine' : 'Node',
    uid: uidOf(machine),
    kind: isLink ? 'link' : 'event',
    source: isLink ? 'Node' : 'kubelet',
    boot: null,
    skewMs: 12,
    key: keyOf(['event', index], atMs),
    body: isLink
      ? { ...link, uid: uidOf(machine), claim: null }
      : {
          what: `BackOff: ${words}`,
          reason: 'BackOff',
          message: words,
          type: 'Warning',
          event: `e-${index}`,
          count: 1,
        },
  };
}

interface Filled {
  readonly rowsASecond: number;
  /** By the processor time of this process: what others do beside it does not count. */
  readonly rowsAProcessorSecond: number;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function fill(recorder: Recorder, rows: number): Promise<Filled> {
  let spentMs = 0;
  let processorSpentMs = 0;
  for (let first = 0; first < rows; first += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => rowAt(first + index));
    const [startMs, processorStartMs] = [performance.now(), processorMs()];
    await recorder.append(batch);
    spentMs += performance.now() - startMs;
    processorSpentMs += processorMs() - processorStartMs;
  }
  const aSecond = (ms: number): number => rows / (ms / 1000);
  return { rowsASecond: aSecond(spentMs), rowsAProcessorSecond: aSecond(processorSpentMs) };
}

async function readMs(recorder: Recorder): Promise<{ readonly ms: number; readonly rows: number }> {
  const times: number[] = [];
  let rows = 0;
  const range = { cluster: 'shop', fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };
  for (let index = 0; index < READ; index++) {
    const startMs = performance.now();
    const story = await gatherStory(recorder, instanceOf((index * 97) % MACHINES), range);
    foldRows(story.rows);
    times.push(performance.now() - startMs);
    rows += story.rows.length;
  }
  return { ms: median(times), rows: Math.round(rows / READ) };
}

function thousands(count: number): string {
  return `${Math.round(count / 1000)}k`;
}

function rowsOf(
  name: string,
  rows: number,
  filled: Filled,
  read: { ms: number; rows: number },
  more: string,
): Row[] {
  const count = `${rows / 1_000_000} million rows`;
  return [
    {
      what: `recorder: ${count} into ${name}, ${BATCH} in a transaction`,
      ours: `${thousands(filled.rowsASecond)} rows/s, ${thousands(filled.rowsAProcessorSecond)} rows a second of processor time${more}`,
      reference: '',
      ratio: '',
      target: '>= 50k rows/s',
    },
    {
      what: `recorder: timeline of one machine (${read.rows} rows) among ${count} in ${name}`,
      ours: `${read.ms.toFixed(1)} ms`,
      reference: '',
      ratio: '',
      target: '< 200 ms',
    },
  ];
}

async function benchSqlite(large: boolean): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-recorder-'));
  const path = join(folder, 'flight.db');
  const rows = large ? ROWS_LARGE : ROWS;
  const recorder = openRecorder(path);
  try {
    const filled = await fill(recorder, rows);
    const read = await readMs(recorder);
    await recorder.close();
    const size = `, ${Math.round(statSync(path).size / rows)} bytes a row`;
    return rowsOf('SQLite', rows, filled, read, size);
  } finally {
    await recorder.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function benchPostgres(): Promise<readonly Row[]> {
  const what = 'recorder: PostgreSQL';
  if (WITH_POSTGRES.skip !== false) return [skipped(what, '', WITH_POSTGRES.skip)];
  const server = await startPostgres();
  await server.createDatabase('flight');
  const recorder = openPostgres(server.urlOf('flight'));
  try {
    const filled = await fill(recorder, ROWS_POSTGRES);
    return rowsOf('PostgreSQL', ROWS_POSTGRES, filled, await readMs(recorder), '');
  } finally {
    await recorder.close();
    await server.stop();
  }
}

/** How fast the flight recorder takes rows, and how fast it gives one machine's back. */
export async function benchRecorder(large: boolean): Promise<readonly Row[]> {
  return [...(await benchSqlite(large)), ...(await benchPostgres())];
}
