import type { LiveState } from './state.ts';
import { STATES_OF_JOINING } from './states-of-joining.ts';
import { STATES_OF_PODS } from './states-of-pods.ts';
import { STATES_WITHOUT_CAUSE } from './states-without-cause.ts';

/** All live states, by id. */
export const LIVE_STATES: readonly LiveState[] = [
  ...STATES_OF_JOINING,
  ...STATES_OF_PODS,
  ...STATES_WITHOUT_CAUSE,
];
