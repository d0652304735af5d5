import { FAULT_CLASSES } from '../../sim/faults/list.ts';
import { FAULT_IDS } from '../../sim/faults/faults.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';
import { PLANTED_BUGS } from '../../sim/planted/bugs.ts';
import type { Wishes } from '../../sim/swarm/swarm.ts';
import { UsageError } from '../cli/context.ts';
import { SIM } from '../cli/declared/sim.ts';
import type { ParsedOptions } from '../cli/options/declaration.ts';
import { parseCommandLine } from '../cli/options/parse.ts';
import { orList, unknownWord } from '../cli/options/values.ts';

export type SimOutput = ParsedOptions<typeof SIM.options>['output'];

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

/** Throws `UsageError`. */
export function readSimArguments(args: readonly string[]): SimArguments {
  const { values } = parseCommandLine(SIM, args);
  const { seed, count, nodes, hours, faults, planted, save, output, twin } = values;
  const isUntilFailure = values['until-failure'];
  return {
    seed,
    count: count ?? (isUntilFailure ? Infinity : 1),
    wishes: { nodes, hours, faults: faultsOf(faults) },
    bug: planted === null ? null : bugOf(planted),
    isUntilFailure,
    isTwinned: twin,
    save,
    output,
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
      `fault ${known.id} (${known.title}) is not simulated yet; use ${orList(FAULT_IDS)}`,
    );
  throw unknownWord('fault', name, ['all', 'none', ...FAULT_IDS]);
}

function bugOf(id: string): PlantedBug {
  const bug = PLANTED_BUGS.find((one) => one.id === id);
  if (bug !== undefined) return bug;
  throw unknownWord(
    'planted bug',
    id,
    PLANTED_BUGS.map((one) => one.id),
  );
}
