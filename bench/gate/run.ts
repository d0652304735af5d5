/**
 * `npm run bench -- gate --gatebench DIR`: our gate as built and the floor, in turn on one API server
 * with an audit log, beside what other gates did. By itself with one case, or another number of
 * nodes or another mode:
 *
 *   node bench/gate/run.ts --gatebench DIR [--case NAME]… [--nodes N] [--mode MODE] [--large]
 *     [--json] [--no-floor] [--node-flag=--cpu-prof]
 *
 * `--large` adds the cases of 5,000 nodes and of 100,000 Pods; `--node-flag` is for the Node.js of our gate.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONTROL_PLANE, missing } from '../../test/real/parts.ts';
import { markdownTable, type Row, skipped } from '../table.ts';
import { GATE_CASES, type GateCase, type GateLine } from './cases.ts';
import type { Report } from './driver.ts';
import { GateBenchSite, PACKED } from './site.ts';

export interface GateBenchOptions {
  /** Where gatebench.mjs, floor.mjs and cutproxy.mjs are; null for nowhere. */
  readonly gatebench: string | null;
  readonly cases: readonly GateCase[];
  /** For Node.js, before the program of our gate. */
  readonly nodeFlags: readonly string[];
  /** Told what the driver printed. */
  readonly onReport: (name: string, contender: string, report: Report) => void;
}

const WHAT = 'gates';

function lacking(gatebench: string | null): string | false {
  if (gatebench === null) return 'needs the folder of gatebench: --gatebench DIR';
  const program = join(gatebench, 'gatebench.mjs');
  if (!existsSync(program)) return `${program} does not exist`;
  if (!existsSync(PACKED)) return 'dist/ is not built; build it with: npm run build';
  return missing(...CONTROL_PLANE);
}

function rowOf(line: GateLine, ours: Report, floor: Report | null): Row {
  const peers = line.peers === '' ? [] : [line.peers];
  const reference = floor === null ? peers : [`floor ${line.of(floor)}`, ...peers];
  const isEarly = ours.latencyMs !== undefined && ours.openedBeforeProof > 0;
  const early = !isEarly ? '' : ` (${ours.openedBeforeProof} BEFORE THE PROOF)`;
  return {
    what: `gate: ${line.what}`,
    ours: `${line.of(ours)}${early}`,
    reference: reference.join('; '),
    ratio: '',
    target: line.goal,
  };
}

async function measured(
  site: GateBenchSite,
  one: GateCase,
  onReport: GateBenchOptions['onReport'],
): Promise<readonly Row[]> {
  process.stderr.write(`gate: ${one.name}…\n`);
  try {
    const floor = one.floor === null ? null : await site.floor(one);
    if (floor !== null) onReport(one.name, 'floor', floor);
    const ours = await site.ours(one);
    onReport(one.name, 'rollcall', ours);
    return one.lines.map((line) => rowOf(line, ours, floor));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'failed';
    return [skipped(`gate: ${one.name}`, '', why.slice(0, 500).replaceAll('\n', ' '))];
  }
}

/** Measures the cases one after the other; one that fails does not stop the others. */
export async function measureGates(options: GateBenchOptions): Promise<readonly Row[]> {
  const { gatebench, cases, nodeFlags, onReport } = options;
  const why = lacking(gatebench);
  if (why !== false || gatebench === null) return [skipped(WHAT, '', why || '')];
  const site = await GateBenchSite.open(gatebench, nodeFlags);
  const rows: Row[] = [];
  try {
    for (const one of cases) rows.push(...(await measured(site, one, onReport)));
  } finally {
    await site.close();
  }
  return rows;
}

function isLarge({ name }: GateCase): boolean {
  return name === '5000' || name === '100000-pods';
}

/** For `npm run bench`: all cases, the large ones where asked for. */
export function benchGate(large: boolean, gatebench: string | null): Promise<readonly Row[]> {
  const cases = GATE_CASES.filter((one) => large || !isLarge(one));
  return measureGates({ gatebench, cases, nodeFlags: [], onReport: () => undefined });
}

/** A case with another number of nodes. */
function withNodes(one: GateCase, nodes: string | undefined): GateCase {
  return nodes === undefined ? one : { ...one, flags: [...one.flags, '--nodes', nodes] };
}

function chosen(values: {
  readonly case?: string[];
  readonly mode?: string;
  readonly nodes?: string;
  readonly large?: boolean;
}): readonly GateCase[] {
  const wanted = values.case;
  const named = GATE_CASES.filter(({ name, flags }) => {
    if (values.mode !== undefined && flags[1] !== values.mode) return false;
    return wanted === undefined || wanted.includes(name);
  });
  const cases = named.filter(
    (one) => wanted !== undefined || values.large === true || !isLarge(one),
  );
  return cases.map((one) => withNodes(one, values.nodes));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      gatebench: { type: 'string' },
      case: { type: 'string', multiple: true },
      mode: { type: 'string' },
      nodes: { type: 'string' },
      large: { type: 'boolean' },
      json: { type: 'boolean' },
      'no-floor': { type: 'boolean' },
      'node-flag': { type: 'string', multiple: true, default: [] },
    },
  });
  const rows = await measureGates({
    gatebench: values.gatebench ?? null,
    cases: chosen(values).map((one) => ({
      ...one,
      floor: values['no-floor'] === true ? null : one.floor,
    })),
    nodeFlags: values['node-flag'],
    onReport: (name, contender, report) => {
      if (values.json === true)
        process.stderr.write(`${JSON.stringify({ name, contender, ...report })}\n`);
    },
  });
  process.stdout.write(`${markdownTable(rows)}\n`);
}
