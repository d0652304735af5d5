/**
 * What test files get for `node:test` in a mutation run: their tests are written down instead of
 * run, so that each can run many times, under one mutant after the other.
 */
import type { Declarations } from './declared.ts';
import type { Body, Hook, Options } from './suite.ts';

interface Taking {
  /** Of the test file that is being loaded. */
  declarations: Declarations | null;
}

/** The worker and the test files share it, as both import this module. */
export const TAKING: Taking = { declarations: null };

function taking(): Declarations {
  if (TAKING.declarations === null) throw new Error('a test is declared while none is loaded');
  return TAKING.declarations;
}

/** Options may be left out before the body. */
function split(args: readonly unknown[]): readonly [string, Options, Body] {
  const name = typeof args[0] === 'string' ? args[0] : '';
  const options = args.find((one): one is Options => typeof one === 'object' && one !== null);
  const body = args.find((one): one is Body => typeof one === 'function');
  return [name, options ?? {}, body ?? (() => {})];
}

export function test(...args: readonly unknown[]): void {
  taking().test(...split(args));
}

export function describe(...args: readonly unknown[]): void {
  taking().describe(...split(args));
}

export { test as it, test as default, describe as suite };

export function before(hook: Hook): void {
  taking().suite.before.push(hook);
}

export function after(hook: Hook): void {
  taking().suite.after.push(hook);
}

export function beforeEach(hook: Hook): void {
  taking().suite.beforeEach.push(hook);
}

export function afterEach(hook: Hook): void {
  taking().suite.afterEach.push(hook);
}
