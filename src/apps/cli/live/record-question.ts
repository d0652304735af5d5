import { durationMs } from '../../../evidence/duration.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { isoMs } from '../../../evidence/time.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import { UsageError } from '../context.ts';
import { quoted } from '../options/quoted.ts';
import { orList } from '../options/values.ts';

/** ms since the epoch of `2h`, counted back from now, or of an ISO time. @throws UsageError */
export function momentOf(option: string, text: string | null, nowMs: number): number | null {
  if (text === null) return null;
  const agoMs = durationMs(text);
  const ms = agoMs === null ? isoMs(text) : nowMs - agoMs;
  if (ms !== null) return ms;
  throw new UsageError(
    `${option} takes a time such as 2h or 2026-05-01T10:00:00Z, not ${quoted(text)}`,
  );
}

const CLUSTERS_SHOWN = 10;

/** The cluster that is named, or the only one. @throws UsageError */
export async function clusterIn(
  recorder: Recorder,
  named: string | null,
  target: string,
): Promise<string> {
  const clusters = await recorder.clusters();
  const [only] = clusters;
  const list = orList(clusters.slice(0, CLUSTERS_SHOWN).map((one) => excerptOf(one, 100)));
  if (named !== null) {
    if (clusters.includes(named)) return named;
    const has = clusters.length === 0 ? 'it is empty' : `it has ${list}`;
    throw new UsageError(`no cluster ${quoted(named)} in ${quoted(target)}; ${has}`);
  }
  if (only === undefined)
    throw new UsageError(`${quoted(target)} is empty; fill it: rollcall record --record FILE`);
  if (clusters.length === 1) return only;
  throw new UsageError(`the record holds several clusters; name one: --cluster ${list}`);
}
