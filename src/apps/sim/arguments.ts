import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { FAULT_CLASSES } from '../../sim/faults/list.ts';
import { FAULT_IDS } from '../../sim/faults/faults.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import { PLANTED_BUGS } from '../../sim/planted/bugs.ts';
import type { Wishes } from '../../sim/swarm/swarm.ts';
import { UsageError } from '../cli/context.ts';

const OUTPUTS = ['text', 'json', 'markdown'] as const;
export type SimOutput = (typeof OUTPUTS)[number];

const FLAGS = {
  seed: { type: 'string' },
  count: { type: 'string' },
  nodes: { type: 'string' },
  hours: { type: 'string' },
  faults: { type: 'string' },
  planted: { type: 'string' },
  'until-failure': { type: 'boolean', default: false },
  twin: { type: 'boolean', default: false },
  save: { type: 'string' },
  output: { type: 'string', short: 'o', default: 'text' },
} satisfies ParseArgsOptionsConfig;

export interface SimArguments {
  readonly seed: number;
  /** Seeds one after the other from the first; infinite until one fails. */
  readonly count: number;
  readonly wishes: Wishes;
  readonly bug: PlantedBug | null;
  readonly isUntilFailure: boolean;
  /** Each seed happens again without faults, and the ends are compared. */
  readonly isTwinned: boolean;
  /** Where the evidence of a failure is written. */
  readonly save: string | null;
  readonly output: SimOutput;
}

const SEED_MAX = 0xffffffff;
const NODES_MAX = 5000;
const COUNT_MAX = 1_000_000;
const HOURS_MAX = 24 * 30;

interface Range {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

function numberOf(flag: string, text: string, { from, to, isWhole }: Range): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? 'whole number' : 'number';
  throw new UsageError(
    `--${flag} takes a ${kind} from ${from} to ${to}; ${JSON.stringify(text.slice(0, 40))} is none.`,
  );
}

/** `--seed -1` as `--seed=-1`, so that it is told what a seed can be, and not what a dash is. */
function withNegatives(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [index, arg] of args.entries()) {
    const before = args[index - 1] ?? '';
    const isValue = /^-\d/.test(arg) && /^--[a-z-]+$/.test(before);
    if (isValue) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

/** Throws `UsageError`. */
export function readSimArguments(args: readonly string[]): SimArguments {
  const { values } = parseArgs({ args: withNegatives(args), options: FLAGS });
  const { seed = '1', count, nodes, hours = '1', faults = 'all', planted, save, output } = values;
  const found = OUTPUTS.find((name) => name === output);
  if (found === undefined)
    throw new UsageError(`-o takes ${OUTPUTS.join(', ')}; "${output}" is none of them.`);
  const isUntilFailure = values['until-failure'];
  const whole = { from: 1, to: NODES_MAX, isWhole: true };
  return {
    seed: numberOf('seed', seed, { from: 0, to: SEED_MAX, isWhole: true }),
    count:
      count === undefined
        ? isUntilFailure
          ? Infinity
          : 1
        : numberOf('count', count, { ...whole, to: COUNT_MAX }),
    wishes: {
      nodes: nodes === undefined ? null : numberOf('nodes', nodes, whole),
      hours: numberOf('hours', hours, { from: 0.01, to: HOURS_MAX, isWhole: false }),
      faults: faultsOf(faults),
    },
    bug: planted === undefined ? null : bugOf(planted),
    isUntilFailure,
    isTwinned: values.twin,
    save: save ?? null,
    output: found,
  };
}

function faultsOf(text: string): Wishes['faults'] {
  if (text === 'all') return 'all';
  if (text === 'none') return [];
  const names = text.split(',');
  for (const name of names) mustBeFault(name);
  return names;
}

function mustBeFault(name: string): void {
  const id = /^(F\d\d)(?:\.\d{1,4})?$/.exec(name)?.[1];
  if (id !== undefined && FAULT_IDS.includes(id)) return;
  const known = FAULT_CLASSES.find((one) => one.id === id);
  if (known !== undefined)
    throw new UsageError(
      `--faults: ${known.id} (${known.title}) comes with what it concerns; there are ${FAULT_IDS.join(', ')}`,
    );
  throw new UsageError(
    `--faults takes all, none, or a list such as F51,F62.2; ${JSON.stringify(name.slice(0, 40))} is no fault. There are ${FAULT_IDS.join(', ')}`,
  );
}

function bugOf(id: string): PlantedBug {
  const bug = PLANTED_BUGS.find((one) => one.id === id);
  if (bug !== undefined) return bug;
  throw new UsageError(
    `--planted takes ${PLANTED_BUGS.map((one) => one.id).join(', ')}; ${JSON.stringify(id.slice(0, 40))} is none of them.`,
  );
}
