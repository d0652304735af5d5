import { PortError } from '../../ports/port-error.ts';
import { codeOf } from './environment.ts';
import { type RequestName, textOf } from './request-name.ts';
import { ProxyRefusal } from './tunnel.ts';

/** Of a patch by operations, which the server refuses without saying which one did not fit. */
export const JSON_PATCH = 'application/json-patch+json';

/** The error for a write after which no answer told what became of it. */
export function unclear(name: RequestName, lost: PortError): PortError {
  return new PortError({
    failure: 'unclear',
    message:
      `Whether ${textOf(name)} took effect is unknown, so read the object before writing again. ` +
      lost.message,
    cause: lost,
  });
}

/** Addresses at which nothing is reached, and handshakes that fail. */
const BEFORE_SENDING = new RegExp(
  `^(?:${[
    'ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT',
    'CERT_\\w+|ERR_TLS_CERT_\\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_\\w+|INVALID_CA|ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_\\w*ALERT_\\w*(?:CERTIFICATE|UNKNOWN_CA|PROTOCOL_VERSION|HANDSHAKE)\\w*',
  ].join('|')})$`,
);

/** True when the request cannot have reached the server. */
export function isSurelyUnsent(error: unknown): boolean {
  return chainOf(error).some((one) => {
    const { syscall } = one as { readonly syscall?: unknown };
    if (one instanceof ProxyRefusal || one instanceof PortError) return true;
    return BEFORE_SENDING.test(codeOf(one)) || syscall === 'connect' || syscall === 'getaddrinfo';
  });
}

/** An error and what is below it: one address of several, the socket of a request. */
function chainOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let one: unknown = error; one instanceof Error && chain.length < 5; ) {
    chain.push(one);
    const { cause, errors } = one as { readonly cause?: unknown; readonly errors?: unknown };
    one = Array.isArray(errors) ? (errors as readonly unknown[])[0] : cause;
  }
  return chain;
}
