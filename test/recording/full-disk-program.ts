/**
 * `node full-disk-program.ts FOLDER`: records while its disk is full and after there is room again,
 * and prints what was said of it and what is recorded. FOLDER is a small disk of its own.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRecorder } from '../../src/adapters/recorder/open.ts';
import { lookAt, node, recordingInto, warning } from './looks.ts';

const [, , folder = ''] = process.argv;
const filler = join(folder, 'filler');
const recorder = openRecorder(join(folder, 'flight.db'));
const { recording, said } = recordingInto(recorder);
const EVENTS_A_LOOK = 200;

async function look(minute: number): Promise<void> {
  await recording.take(
    lookAt({
      minute,
      nodes: [node({ changed: minute, ready: minute % 2 === 0 ? 'True' : 'False' })],
      events: Array.from({ length: EVENTS_A_LOOK }, (_, index) =>
        warning({ uid: `e-${minute}-${index}`, at: minute }),
      ),
    }),
  );
}

let minute = 0;
await look(minute++);
writeFileSync(filler, Buffer.alloc(1024 * 1024));
while (said.length === 0) await look(minute++);
const interruptedAt = minute - 1;
for (let more = 0; more < 3; more++) await look(minute++);
const before = said.length;
rmSync(filler);
await look(minute++);
const rows = await recorder.read({ cluster: 'shop', limit: 100_000 });
await recorder.close();
const minutes = rows.filter(({ kind }) => kind === 'event').map(({ atMs }) => atMs);
const counts = [...Map.groupBy(minutes, (atMs) => atMs).values()].map(({ length }) => length);
const gaps = rows.filter(({ kind }) => kind === 'gap').length;
process.stdout.write(
  JSON.stringify({ said, before, interruptedAt, looks: minute, counts, gaps, each: EVENTS_A_LOOK }),
);
