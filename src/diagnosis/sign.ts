import type { LineSource } from '../evidence/source.ts';
import type { Sign, SignWeight } from './cause.ts';
import { literalsOf } from './literals.ts';

/** What a sign says beside where it stands and how it reads. */
export type SignOptions = Partial<
  Pick<Sign, 'anchors' | 'strict' | 'isTold' | 'isBackground' | 'atLeast' | 'enoughOnce'>
>;

type MakeSign = (sources: readonly LineSource[], pattern: RegExp, options?: SignOptions) => Sign;

function signOf(weight: SignWeight): MakeSign {
  return (sources, pattern, options = {}) => ({
    in: sources,
    anchors: options.anchors ?? literalsOf(pattern),
    pattern,
    weight,
    ...options,
  });
}

/** Names the cause alone. */
export const definite = signOf('definite');

/** Names the cause where nothing speaks against it. */
export const likely = signOf('likely');

/** Only supports the cause. */
export const context = signOf('context');

/** Seen later, takes an earlier failure back. */
export const withdraws = signOf('withdraws');

/** Seen at all, rules the cause out. */
export const clears = signOf('clears');
