import { statSync } from 'node:fs';
import { join } from 'node:path';
import { writeBundle } from './bundle.ts';
import { compare, runTimed } from './measure.ts';
import { ANCHORS, generated, ROOT } from './place.ts';
import type { Row } from './table.ts';

const ROUNDS = 5;
const ROUNDS_LARGE = 3;
const BUNDLE_BYTES = 200e6;
const BUNDLE_BYTES_LARGE = 2e9;
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

async function benchBundle(bytes: number, rounds: number): Promise<Row> {
  const megabytes = Math.round(bytes / 1e6);
  const recipe = { seed: 11, anchors: ANCHORS, linesPerHit: 200 };
  const bundle = await generated(`eks-${megabytes}.tar.gz`, (part) =>
    writeBundle(part, bytes, recipe),
  );
  const packed = Math.round(statSync(bundle).size / 1e6);
  const diagnosis = diagnosisOf(bundle);
  const result = await compare(rounds, diagnosis.once, () => gunzipMs(bundle));
  const peak = diagnosis.peakRssBytes();
  const memory = peak === null ? '' : `, peak RSS ${Math.round(peak / 1e6)} MB`;
  return {
    what: `diagnose a tar.gz of ${packed} MB (${megabytes} MB unpacked)`,
    ours: seconds(result.ours) + memory,
    reference: `${seconds(result.reference)}, \`gzip -dc\``,
    ratio: `${result.ratio.toFixed(2)} x`,
    target: '',
  };
}

/** Diagnosis of a collector tarball, against unpacking it; `large` adds one of 2 GB unpacked. */
export async function benchDiagnose(large: boolean): Promise<readonly Row[]> {
  const rows = [await benchBundle(BUNDLE_BYTES, ROUNDS)];
  if (large) rows.push(await benchBundle(BUNDLE_BYTES_LARGE, ROUNDS_LARGE));
  return rows;
}
