import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject, listAt, textAt } from '../src/evidence/json.ts';
import { median, runTimed } from './measure.ts';
import { generated, ROOT } from './place.ts';
import type { Row } from './table.ts';

const EXAMPLE = join(ROOT, 'examples/preflight/self-managed-without-mapping.json');
const RESOURCES = 10_000;
const ROUNDS = 5;
/** Of so many clusters of one name nobody can tell which lets a machine in. */
const UNKNOWN = 2;

/** The resources of the example again and again, each under an index of its own. */
function plan(): string {
  const text = JSON.parse(readFileSync(EXAMPLE, 'utf8')) as JsonObject;
  const own = listAt(text, 'planned_values.root_module.resources').filter(isObject);
  const resources = Array.from({ length: RESOURCES }, (_, at) => {
    const one = own[at % own.length] ?? {};
    const index = Math.floor(at / own.length);
    return { ...one, index, address: `${textAt(one, 'address') ?? ''}[${index}]` };
  });
  return JSON.stringify({ ...text, planned_values: { root_module: { resources } } });
}

/** A plan of 10,000 resources is read and judged, from the start of the program on. */
export async function benchPreflight(): Promise<readonly Row[]> {
  const file = await generated('plan-10000.json', async (path) => writeFileSync(path, plan()));
  const walls: number[] = [];
  let peak = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const run = await runTimed(join(ROOT, 'bin/rollcall'), ['preflight', file, '-o', 'json']);
    if (run.exitCode !== UNKNOWN) throw new Error(`preflight ended with ${run.exitCode}`);
    walls.push(run.wallMs);
    peak = Math.max(peak, run.peakRssBytes ?? 0);
  }
  return [
    {
      what: `preflight of a plan of ${RESOURCES.toLocaleString('en')} resources`,
      ours: `${(median(walls) / 1000).toFixed(2)} s, peak RSS ${Math.round(peak / 1e6)} MB`,
      reference: '',
      ratio: '',
      target: '< 3 s',
    },
  ];
}
