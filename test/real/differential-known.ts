/** Where the API server of the simulated world is known to answer unlike a real one. */
import type { Json } from '../../src/evidence/json.ts';
import { type Answered, differences } from './differential.ts';
import type { Step } from './differential-programs.ts';

interface KnownDifference {
  readonly what: string;
  readonly isIt: (step: Step, simulated: Answered, real: Answered) => boolean;
}

/** The answer without the objects that stand in its messages. */
function withoutShown({ code, object }: Answered): Json {
  const shown = /Invalid value: \\"\{(?:[^"\\]|\\\\\\"|\\\\)*\}\\"/g;
  return JSON.parse(JSON.stringify({ code, object }).replaceAll(shown, 'an object')) as Json;
}

/** The answer without what Go prints of two specs that differ. */
function withoutComparison({ code, object }: Answered): Json {
  const printed = /(?<=was previously negative\))\\n(?:[^"\\]|\\.)*/g;
  return JSON.parse(JSON.stringify({ code, object }).replaceAll(printed, '')) as Json;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'a patch that leads to a value of a wrong type is refused with the whole object, whose fields stand in another order',
    isIt: ({ verb, patchType }, simulated, real) =>
      verb === 'patch' &&
      (patchType === 'merge' || patchType === 'json') &&
      real.code === 422 &&
      differences(withoutShown(simulated), withoutShown(real)).length === 0,
  },
  {
    what: 'a change of a pod that may not be is refused without the comparison of the two specs as Go prints them',
    isIt: (_, simulated, real) =>
      real.code === 422 &&
      differences(withoutComparison(simulated), withoutComparison(real)).length === 0,
  },
];
