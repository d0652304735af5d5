import type { JsonObject } from '../../evidence/json.ts';
import type { ApiAnswer } from './contract.ts';
import { type KubeKind, resourceName } from './kinds.ts';

/** One thing that is wrong with an object, as `details.causes` of a Status lists it. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusParts {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: JsonObject;
  readonly metadata?: JsonObject;
}

/** An answer that is a `Status` of kind Failure; wording as k8s.io/apimachinery api/errors has it. */
export class StatusError extends Error {
  readonly code: number;
  readonly status: JsonObject;

  constructor({ code, reason, message, details, metadata = {} }: StatusParts) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }

  answer(): ApiAnswer {
    return { code: this.code, object: this.status, warnings: [] };
  }
}

/** A body that is no object of its kind. */
export class Undecodable extends StatusError {
  /** What the decoder found: `json: cannot unmarshal …`. */
  readonly why: string;

  constructor({ kind, version }: Pick<KubeKind, 'kind' | 'version'>, why: string) {
    const message = `${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`;
    super({ code: 400, reason: 'BadRequest', message });
    this.name = 'Undecodable';
    this.why = why;
  }
}

function detailsOf(kind: KubeKind, name: string, more: JsonObject = {}): JsonObject {
  return {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.plural,
    ...more,
  };
}

/** The path leads nowhere. */
export function noSuchPath(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError({ code: 404, reason: 'NotFound', message, details: {} });
}

export function notFound(kind: KubeKind, name: string): StatusError {
  const message = `${resourceName(kind)} "${name}" not found`;
  return new StatusError({
    code: 404,
    reason: 'NotFound',
    message,
    details: detailsOf(kind, name),
  });
}

export function alreadyExists(kind: KubeKind, name: string, prefix = ''): StatusError {
  const message = `${prefix}${resourceName(kind)} "${name}" already exists`;
  const details = detailsOf(kind, name);
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details });
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export function conflict(kind: KubeKind, name: string, why: string = MODIFIED): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceName(kind)} "${name}": ${why}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message,
    details: detailsOf(kind, name),
  });
}

/** Of a part of an object, such as `pods/binding`. */
export function conflictOn(resource: string, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${resource} "${name}": ${why}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message,
    details: { name, kind: resource },
  });
}

/** Named by its kind, as what deletes does. */
export function conflictOf(kind: KubeKind, name: string, why: string): StatusError {
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const message = `Operation cannot be fulfilled on ${qualified} "${name}": ${why}`;
  const details = { ...detailsOf(kind, name), kind: kind.kind };
  return new StatusError({ code: 409, reason: 'Conflict', message, details });
}

export function badRequest(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

export function forbidden(kind: KubeKind, name: string, why: string): StatusError {
  const named = name === '' ? resourceName(kind) : `${resourceName(kind)} "${name}"`;
  const message = `${named} is forbidden: ${why}`;
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message,
    details: detailsOf(kind, name),
  });
}

export function methodNotAllowed(kind: KubeKind): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  const details = detailsOf(kind, '');
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details });
}

/** The object is understood and wrong. */
export function invalid(kind: KubeKind, name: string, causes: readonly StatusCause[]): StatusError {
  const texts = [...new Set(causes.map(({ field, message }) => `${field ?? ''}: ${message}`))];
  const told = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(kind.group === '' ? {} : { group: kind.group }),
    kind: kind.kind,
    causes: causes.map((cause) => ({ ...cause })),
  };
  const message = `${qualified} "${name}" is invalid: ${told}`;
  return new StatusError({ code: 422, reason: 'Invalid', message, details });
}

/** Named by its resource, as the storage layer does, where `invalid` names the kind. */
export function invalidVersion(kind: KubeKind, name: string): StatusError {
  const message = 'Invalid value: 0: must be specified for an update';
  const field = 'metadata.resourceVersion';
  const causes = [{ reason: 'FieldValueInvalid', message, field }];
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${resourceName(kind)} "${name}" is invalid: ${field}: ${message}`,
    details: detailsOf(kind, name, { causes }),
  });
}

/** The version asked for is gone. */
export function expired(message: string, metadata: JsonObject = {}): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message, metadata });
}

/** A version that the cache has not reached within the three seconds it waits. */
export function tooLargeVersion(asked: string, current: number): StatusError {
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }];
  return new StatusError({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: { causes, retryAfterSeconds: 1 },
  });
}

export function tooManyRequests(message: string, details: JsonObject = {}): StatusError {
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details });
}
