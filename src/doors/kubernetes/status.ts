import type { JsonObject } from '../../evidence/json.ts';

/** A refusal of the door itself, in the words of k8s.io/apiserver. */
export class DoorRefusal extends Error {
  readonly code: number;
  readonly status: JsonObject;

  constructor(code: number, reason: string, message: string, details?: JsonObject) {
    super(message);
    this.name = 'DoorRefusal';
    this.code = code;
    this.status = failure(code, reason, message, details);
  }
}

export function failure(
  code: number,
  reason: string,
  message: string,
  details?: JsonObject,
): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function badRequest(message: string): DoorRefusal {
  return new DoorRefusal(400, 'BadRequest', message);
}

export function unauthorized(): DoorRefusal {
  return new DoorRefusal(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(message: string): DoorRefusal {
  return new DoorRefusal(403, 'Forbidden', message, {});
}

export function noSuchPath(): DoorRefusal {
  const message = 'the server could not find the requested resource';
  return new DoorRefusal(404, 'NotFound', message, {});
}

export function methodNotAllowed(): DoorRefusal {
  const message = 'the server does not allow this method on the requested resource';
  return new DoorRefusal(405, 'MethodNotAllowed', message, {});
}

export function notSimulated(what: string): DoorRefusal {
  const message = `${what}: the containers of this world are simulated, so that nothing can reach into them; see what they say with: kubectl logs`;
  return new DoorRefusal(405, 'MethodNotAllowed', message, {});
}

export function notAcceptable(): DoorRefusal {
  const message =
    'only the following media types are accepted: application/json, application/yaml, ' +
    'application/vnd.kubernetes.protobuf';
  return new DoorRefusal(406, 'NotAcceptable', message);
}

export function bodyTooLarge(bytesMax: number): DoorRefusal {
  const message = `Request entity too large: limit is ${bytesMax}`;
  return new DoorRefusal(413, 'RequestEntityTooLarge', message);
}

export function unsupportedMediaType(accepted: readonly string[]): DoorRefusal {
  const message =
    'the body of the request was in an unknown format - accepted media types include: ' +
    accepted.join(', ');
  return new DoorRefusal(415, 'UnsupportedMediaType', message);
}

export function tooManyRequests(): DoorRefusal {
  const message = 'Too many requests, please try again later.';
  const details = { retryAfterSeconds: 1 };
  return new DoorRefusal(429, 'TooManyRequests', message, details);
}

export function internalError(message: string): DoorRefusal {
  const causes = [{ message }];
  const said = `Internal error occurred: ${message}`;
  return new DoorRefusal(500, 'InternalError', said, { causes });
}
