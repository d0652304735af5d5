import { PortError } from '../../ports/port-error.ts';

/**
 * The refusal of tables that a newer release wrote, with what makes them fit again.
 *
 * @param name of the store in a sentence
 * @param target what `--record` takes, without a password
 */
export function newerTables(name: string, target: string, found: number, known: number): PortError {
  const back =
    found === known + 1
      ? `, or step it back with that release: rollcall record --record ${target} --step-back`
      : '';
  const message = `${name} was written by a newer version of this program (its tables are version ${found}, this program knows ${known}); update this program first${back}.`;
  return new PortError({ failure: 'unsupported', message });
}

/** The refusal to step back to a version that the tables never had, or had before. */
export function olderTables(name: string, found: number, target: number): PortError {
  const what = found === 0 ? 'is empty' : `is of version ${found}`;
  const message = `${name} ${what}; only version ${target + 1} is stepped back, to version ${target}.`;
  return new PortError({ failure: 'unsupported', message });
}
