import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import { type RowTimes, rowKey } from '../../diagnosis/roll-call/times.ts';
import { textAt } from '../../evidence/json.ts';
import type { RecordedEvent, Recorder } from '../../ports/recorder.ts';
import { CUT_KINDS } from '../recording/cuts.ts';
import { standingOf } from '../recording/verdicts.ts';
import { whatOf } from './fold.ts';

/** Rows that are read at most; of a machine that is quiet for longer nothing is told. */
const ROWS_MAX = 20_000;
/** What does not happen to a machine. */
const SILENT = ['link', 'evidence', 'finding', 'gap', 'recording', ...Object.values(CUT_KINDS)];

/** Tells of a row what a recording knows. */
export type TimesOfRow = (row: RollCallRow) => RowTimes;

/** Reads the last of what was recorded of each machine of a cluster. */
export async function recordedTimes(recorder: Recorder, cluster: string): Promise<TimesOfRow> {
  const limit = ROWS_MAX;
  const verdicts = bySubject(await recorder.read({ cluster, kinds: ['verdict'], limit }));
  const events = bySubject(await recorder.read({ cluster, exceptKinds: SILENT, limit }));
  return (row) => {
    const verdict = verdicts.get(rowKey(row));
    const isSame = verdict !== undefined && textAt(verdict.body, 'standing') === standingOf(row);
    const names = [row.instanceId, row.node, row.name].filter((name) => name !== null);
    const rows = names.flatMap((name) => events.get(name) ?? []);
    const last = rows.toSorted((one, other) => one.atMs - other.atMs).at(-1);
    return {
      sinceMs: isSame ? verdict.atMs : null,
      last: last === undefined ? null : { atMs: last.atMs, what: whatOf(last) },
    };
  };
}

function bySubject(rows: readonly RecordedEvent[]): ReadonlyMap<string, RecordedEvent> {
  return new Map(rows.map((row) => [row.subject, row]));
}
