/** Answers that a proxy gives instead of the API behind it. */
import type { Fault } from './proxy.ts';

/** The same answer to everything. */
export function always(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Fault {
  return (_call, response) => {
    response.writeHead(status, headers).end(body);
    return true;
  };
}

/** Takes the call and says nothing. */
export const silent: Fault = () => true;

/** Fails only calls whose path matches. */
export function only(pattern: RegExp, fault: Fault): Fault {
  return (call, response) => pattern.test(call.url) && fault(call, response);
}

/** Fails so many calls and lets the others pass. */
export function times(count: number, fault: Fault): Fault {
  let left = count;
  return (call, response) => left-- > 0 && fault(call, response);
}

/** A `Status` as the API server words a refusal. */
export function refusedStatus(code: number, reason: string, message: string): string {
  return JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message,
  });
}
