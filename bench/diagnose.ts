import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeArchive, writeBundle } from './bundle.ts';
import { busyNodeBlocks } from './busy-node.ts';
import { compare, runTimed } from './measure.ts';
import { ANCHORS, generated, ROOT } from './place.ts';
import { capturedLogs, repeated, startUpLines } from './program-logs.ts';
import type { Row } from './table.ts';

const ROUNDS = 5;
const ROUNDS_LARGE = 3;
const BUNDLE_BYTES = 200e6;
const BUNDLE_BYTES_LARGE = 2e9;
const START_UP_BYTES = 160e6;
/** Programs that end after some hundred lines: nobody has a large log of one. */
const SHORT_LIVED: ReadonlySet<string> = new Set(['kubeadm']);
/** Exit codes of a diagnosis that was made: usable, not usable, cannot tell. */
const DIAGNOSED: readonly (number | null)[] = [0, 1, 2];

interface DiagnosisRuns {
  readonly once: () => Promise<number>;
  readonly peakRssBytes: () => number | null;
}

function diagnosisOf(bundle: string): DiagnosisRuns {
  let peak: number | null = null;
  const once = async (): Promise<number> => {
    const run = await runTimed(join(ROOT, 'bin/rollcall'), ['diagnose', bundle, '-o', 'json']);
    if (!DIAGNOSED.includes(run.exitCode)) {
      throw new Error(`rollcall diagnose ${bundle} ended with exit code ${run.exitCode}.`);
    }
    if (run.peakRssBytes !== null) peak = Math.max(peak ?? 0, run.peakRssBytes);
    return run.wallMs;
  };
  return { once, peakRssBytes: () => peak };
}

async function gunzipMs(bundle: string): Promise<number> {
  const { exitCode, wallMs } = await runTimed('sh', ['-c', 'gzip -dc "$0" > /dev/null', bundle]);
  if (exitCode !== 0) throw new Error(`gzip -dc ${bundle} ended with exit code ${exitCode}.`);
  return wallMs;
}

function seconds(wallMs: number): string {
  return `${(wallMs / 1000).toFixed(2)} s`;
}

/** An archive that is diagnosed and, in turns, only unpacked. */
interface Corpus {
  readonly name: string;
  readonly what: string;
  readonly bytes: number;
  readonly rounds: number;
  readonly write: (path: string) => Promise<void>;
}

function eksBundle(bytes: number, rounds: number): Corpus {
  const recipe = { seed: 11, anchors: ANCHORS, linesPerHit: 200 };
  const write = (path: string): Promise<void> => writeBundle(path, bytes, recipe);
  return { name: 'eks', what: 'diagnose a bundle', bytes, rounds, write };
}

function oneLog(
  name: string,
  what: string,
  blocks: () => Iterable<Buffer>,
  bytes = BUNDLE_BYTES,
): Corpus {
  const write = (path: string): Promise<void> =>
    writeArchive(path, [{ name: `var_log/${name}.log`, size: bytes, blocks: blocks() }]);
  return { name, what: `diagnose ${what}`, bytes, rounds: ROUNDS, write };
}

/** What real programs print, broken on purpose: every line of it over and over. */
function programLogs(): readonly Corpus[] {
  const logs = [...capturedLogs()].filter(([program]) => !SHORT_LIVED.has(program));
  return logs.map(([program, text]) =>
    oneLog(program, `a log of ${program}, broken in all captured ways`, () => repeated(text, 7)),
  );
}

function startUps(): Corpus {
  const log = startUpLines(capturedLogs().get('kubelet') ?? '');
  return oneLog('start-up', 'a log of start-up lines', () => repeated(log, 7), START_UP_BYTES);
}

async function benchCorpus({ name, what, bytes, rounds, write }: Corpus): Promise<Row> {
  const megabytes = Math.round(bytes / 1e6);
  const bundle = await generated(`${name}-${megabytes}.tar.gz`, write);
  const packed = Math.round(statSync(bundle).size / 1e6);
  const diagnosis = diagnosisOf(bundle);
  const result = await compare(rounds, diagnosis.once, () => gunzipMs(bundle));
  const peak = diagnosis.peakRssBytes();
  const memory = peak === null ? '' : `, peak RSS ${Math.round(peak / 1e6)} MB`;
  return {
    what: `${what}: ${packed} MB, ${megabytes} MB unpacked`,
    ours: seconds(result.ours) + memory,
    reference: `${seconds(result.reference)}, \`gzip -dc\``,
    ratio: `${result.ratio.toFixed(2)} x`,
    target: name === 'eks' || name === 'busy-node' ? '<= 1.2 x, 200 MB' : '<= 2 x',
  };
}

/** Diagnosis of archives, against unpacking them; `large` adds one of 2 GB unpacked. */
export async function benchDiagnose(large: boolean): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const busy = (): Iterable<Buffer> => busyNodeBlocks(7);
  for (const corpus of [
    eksBundle(BUNDLE_BYTES, ROUNDS),
    oneLog('busy-node', 'a busy node, an anchor in one line of three', busy),
    startUps(),
    ...programLogs(),
    ...(large ? [eksBundle(BUNDLE_BYTES_LARGE, ROUNDS_LARGE)] : []),
  ])
    rows.push(await benchCorpus(corpus));
  return rows;
}
