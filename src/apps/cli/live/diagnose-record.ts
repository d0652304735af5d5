import { systemClock } from '../../../adapters/system/clock.ts';
import { type EvidenceThen, evidenceThen } from '../../../collection/timeline/evidence-then.ts';
import { isAsked } from '../../../diagnosis/asked.ts';
import { alignClocks } from '../../../diagnosis/clocks.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { anonymizerFor } from '../../../engine/anonymous.ts';
import { diagnoseObservations } from '../../../engine/diagnose.ts';
import { SIGN_TABLE } from '../../../engine/signs.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { isoTime } from '../../../evidence/time.ts';
import type { Recorder } from '../../../ports/recorder.ts';
import { createReading } from '../../../readers/reading.ts';
import { type CliContext, UsageError } from '../context.ts';
import { quoted } from '../options/quoted.ts';
import { type BundleContents, createBundle, mustBeWritable } from './bundle.ts';
import { clusterIn, momentOf } from './record-question.ts';
import { openForReading, told } from './record-target.ts';

export interface RecordQuestion {
  /** A file or a URL of PostgreSQL. */
  readonly record: string;
  /** As `2h` or an ISO time; null for now. */
  readonly at: string | null;
  readonly cluster: string | null;
  /** Machines that are asked about; empty for all. */
  readonly names: readonly string[];
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
  readonly isAnonymous: boolean;
}

export interface RecordAnswer {
  readonly document: DiagnosisDocument;
  readonly observations: Observations;
  /** null where nothing was written. */
  readonly saved: BundleContents | null;
}

/** Judges what a recording kept of a moment, as a look would have then. */
export async function diagnoseRecord(
  question: RecordQuestion,
  context: CliContext,
): Promise<RecordAnswer> {
  const { save, at, record, names } = question;
  if (save !== null) await mustBeWritable(save);
  const toMs = momentOf('--at', at, systemClock.nowMs()) ?? Number.MAX_SAFE_INTEGER;
  const recorder = await openForReading(record);
  try {
    return await told(async () => {
      const cluster = await clusterIn(recorder, question.cluster, record);
      const then = await evidenceThen(recorder, cluster, toMs, names);
      if (then === null) throw nothingRecorded(question);
      context.err(await sentenceOf(recorder, cluster, then, toMs));
      return judged(then, question);
    });
  } finally {
    await recorder.close();
  }
}

function nothingRecorded({ at, record }: RecordQuestion): UsageError {
  const when = at === null ? '' : ` up to ${at}`;
  return new UsageError(
    `${quoted(record)} holds no evidence${when}; see what it holds: rollcall timeline --all --record ${quoted(record)}`,
  );
}

const VERDICTS_MAX = 1000;

/** Of when the evidence is, and what is known to have changed between it and the moment. */
async function sentenceOf(
  recorder: Recorder,
  cluster: string,
  { atMs }: EvidenceThen,
  toMs: number,
): Promise<string> {
  const about = { cluster, kinds: ['verdict'], fromMs: atMs + 1, toMs, limit: VERDICTS_MAX };
  const later = await recorder.read(about);
  const machines = new Set(later.map(({ subject }) => subject)).size;
  const changed =
    machines === 0
      ? ''
      : ` Verdicts changed after it (machines: ${machines}); see: rollcall timeline --all --at TIME`;
  const at = isoTime({ ms: atMs, yearless: false, clock: 'utc' }) ?? '';
  return `Evidence recorded at ${at}.${changed}\n`;
}

async function judged(
  { documents }: EvidenceThen,
  { names, save, isAnonymous }: RecordQuestion,
): Promise<RecordAnswer> {
  const reading = createReading(SIGN_TABLE);
  const bundle = createBundle();
  for (const document of documents) {
    reading.take(document.locator, document.content);
    bundle.add(document, SIGN_TABLE);
  }
  const observations = alignClocks(reading.finish());
  const hidden = isAnonymous ? anonymizerFor([observations]) : null;
  return {
    observations,
    document: await diagnoseObservations(observations, isAsked(names)),
    saved: save === null ? null : await bundle.write(save, hidden),
  };
}
