/** Where the API server of the simulated world is known to answer unlike a real one. */
import { isObject, type Json, textAt } from '../../src/evidence/json.ts';
import { type Answered, differences } from './differential.ts';
import type { Step } from './differential-programs.ts';

interface KnownDifference {
  readonly what: string;
  readonly isIt: (step: Step, simulated: Answered, real: Answered) => boolean;
}

function message({ object }: Answered): string {
  return isObject(object) ? (textAt(object, 'message') ?? '') : '';
}

function isSameRefusal(simulated: Answered, real: Answered): boolean {
  const reason = ({ object }: Answered): string => textAt(object, 'reason') ?? '';
  return simulated.code === real.code && reason(simulated) === reason(real) && real.code >= 400;
}

/** The answer without the names of those who own fields. */
function ownerless({ code, object }: Answered): Json {
  const text = JSON.stringify({ code, object });
  return JSON.parse(text.replaceAll(/conflict with \\"[\w-]+\\"/g, 'conflict')) as Json;
}

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    what: 'a value of a wrong type in a patch is told without the whole patched object',
    isIt: (step, simulated, real) =>
      step.verb === 'patch' &&
      simulated.code === 400 &&
      message(real).includes('is invalid: patch:'),
  },
  {
    what: 'a value of a wrong type in an applied object is a bad request, not an internal error',
    isIt: (step, simulated, real) =>
      step.patchType === 'apply' &&
      simulated.code === 400 &&
      message(real).startsWith('failed to create typed patch object'),
  },
  {
    what: 'containers of one pod that claim the same port of the host are let through',
    isIt: (_, __, real) => /hostPort|Duplicate value: "hostPort/.test(JSON.stringify(real.object)),
  },
  {
    what: 'what is created by an update that is no more than tried has no version',
    isIt: (step, simulated, real) =>
      step.verb === 'update' &&
      step.query?.['dryRun'] === 'All' &&
      simulated.code === 201 &&
      real.code === 201,
  },
  {
    what: 'the place of a mistyped field is told without the name of its Go struct',
    isIt: (_, simulated, real) =>
      isSameRefusal(simulated, real) && message(real).includes('json: cannot unmarshal'),
  },
  {
    what: 'an object of which nobody owns a field has owners from its next write on, as those do that programs made without a manager',
    isIt: (_, simulated, real) =>
      /before-first-apply/.test(JSON.stringify(real.object)) &&
      differences(ownerless(simulated), ownerless(real)).length === 0,
  },
];
