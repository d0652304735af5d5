import type { Random } from '../../ports/random.ts';

/** The engine's generator: good for spreading load, not for secrets. */
export const systemRandom: Random = { next: () => Math.random() };
