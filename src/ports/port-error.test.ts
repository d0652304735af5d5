import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTransient, PortError, type PortFailure } from './port-error.ts';

const IS_TRANSIENT: Readonly<Record<PortFailure, boolean>> = {
  denied: false,
  unauthenticated: false,
  'not-found': false,
  conflict: false,
  'already-exists': false,
  budget: false,
  unclear: false,
  expired: false,
  throttled: true,
  invalid: false,
  unsupported: false,
  unreachable: true,
  timeout: true,
  unavailable: true,
  malformed: true,
  'not-configured': false,
};

for (const [failure, isLater] of Object.entries(IS_TRANSIENT))
  test(`${failure} ${isLater ? 'may pass' : 'lasts'}`, () => {
    const error = new PortError({ failure: failure as PortFailure, message: 'm' });
    assert.equal(isTransient(error), isLater);
  });

test('an error of a port keeps everything it was given', () => {
  const cause = new Error('403');
  const error = new PortError({
    failure: 'denied',
    message: 'nodes: not allowed',
    permission: 'list nodes',
    retryAfterMs: 1500,
    cause,
  });
  assert.equal(String(error), 'PortError: nodes: not allowed');
  const { failure, permission, retryAfterMs } = error;
  assert.deepEqual([failure, permission, retryAfterMs], ['denied', 'list nodes', 1500]);
  assert.equal(error.cause, cause);
});

test('what an error of a port was not given is absent', () => {
  const error = new PortError({ failure: 'timeout', message: 'm' });
  assert.deepEqual([error.permission, error.retryAfterMs], [null, null]);
  assert.equal(Object.hasOwn(error, 'cause'), false);
});
