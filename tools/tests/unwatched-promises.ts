/**
 * Loaded first into each process of tests: keeps the test runner from watching every promise.
 *
 * node:test knows by an `async_hooks` hook to which test a late error belongs. That hook takes two
 * thirds of the time of tests that wait often, such as the simulator's. Here it sees timers,
 * sockets and tests, but no promises: a late rejection still fails its file, without a test's name.
 */
import { createHook } from 'node:async_hooks';

interface Hook {
  enable: () => Hook;
}

const shared: Hook = Object.getPrototypeOf(createHook({}));
const { enable } = shared;

shared.enable = function enableWithoutPromises(this: Hook): Hook {
  const key = Object.getOwnPropertySymbols(this).find(({ description }) => description === 'init');
  if (key === undefined) return enable.call(this);
  const init: unknown = Reflect.get(this, key);
  enable.call(
    createHook({
      ...(typeof init === 'function' && { init: init as () => void }),
      trackPromises: false,
    }),
  );
  return this;
};
