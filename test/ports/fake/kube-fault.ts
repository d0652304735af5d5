import { PortError, type PortFailure } from '../../../src/ports/port-error.ts';

/** An error of the fake, for tests to plant. */
export function fault(failure: PortFailure, what: string, retryAfterMs?: number): PortError {
  const message = `The server of the test answered ${what} with ${failure}; run the test again`;
  return new PortError({ failure, message, retryAfterMs: retryAfterMs ?? null });
}

export function denied(permission: string): PortError {
  const message = `The server of the test denied ${permission}; allow it in the test`;
  return new PortError({ failure: 'denied', permission, message });
}
