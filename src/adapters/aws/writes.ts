/** Writes to AWS through its SDK: the few that are on the list, each sent once. */
import type { JsonObject } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import {
  type AwsWriteOptions,
  type AwsWrites,
  DRY_RUN_ANSWER,
  failureOfAwsWrite,
  writeInput,
} from '../../ports/aws-writes.ts';
import type { AwsCall } from '../../ports/aws-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { isTrust } from './error-codes.ts';
import type { Asked } from './error-sentences.ts';
import { nameError } from './errors.ts';
import { type AwsOptions, askedOf, close, open, type Opened, request } from './open.ts';

/** AWS as opened here for writing; the connections are its own. */
export interface OpenedAwsWrites extends AwsWrites {
  /** Closes all connections. Calls afterwards open new ones. */
  close(): void;
}

/** Reads the configuration files and sends nothing. Throws `PortError` for an impossible region. */
export function openAwsWrites(options: AwsOptions): OpenedAwsWrites {
  const opened = open({ ...options, maxAttempts: 1 });
  return {
    requests: () => new Map(opened.counts),
    write: async (call, asked) => await write(opened, call, asked),
    close: () => {
      close(opened);
    },
  };
}

async function write(opened: Opened, call: AwsCall, options: AwsWriteOptions): Promise<JsonObject> {
  const input = writeInput(call, options);
  const { isDryRun, signal = new AbortController().signal } = options;
  const named = (error: unknown, asked: Asked): unknown =>
    failed(error, { asked, operation: call.operation, isDryRun });
  try {
    return await request(opened, { ...call, input }, askedOf(opened, call), signal, named);
  } catch (error) {
    if (error instanceof DryRunPassed) return {};
    throw error;
  }
}

/** The service would do what a dry run asked. */
class DryRunPassed extends Error {}

interface Attempted {
  readonly asked: Asked;
  readonly operation: string;
  readonly isDryRun: boolean;
}

function failed(error: unknown, { asked, operation, isDryRun }: Attempted): unknown {
  const code = error instanceof Error ? error.name : '';
  if (isDryRun && code === DRY_RUN_ANSWER) return new DryRunPassed();
  const named = nameError(error, asked);
  if (!(named instanceof PortError)) return named;
  const message = error instanceof Error ? error.message : '';
  const own = failureOfAwsWrite({ operation, code, message });
  if (own !== null) return refused(own, asked, code);
  if (named.failure === 'invalid') return inWordsOfAws(named, message);
  return !isDryRun && isOpen(named.failure) && !isSurelyUnsent(error)
    ? unclear(asked, named)
    : named;
}

/** Failures after which a request may have been received and done. */
const OPEN: ReadonlySet<PortFailure> = new Set([
  'unreachable',
  'timeout',
  'unavailable',
  'malformed',
]);

function isOpen(failure: PortFailure): boolean {
  return OPEN.has(failure);
}

/** Of a change that AWS does not take, its own words alone say what is wrong with it. */
function inWordsOfAws({ failure, message, cause }: PortError, words: string): PortError {
  const said = words === '' ? '' : `. AWS says: ${excerptOf(words)}`;
  return new PortError({ failure, message: `${message}${said}`, cause });
}

const BEFORE_SENDING = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_PROXY\w*)$/;

function isSurelyUnsent(error: unknown): boolean {
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  const text = String(code);
  return BEFORE_SENDING.test(text) || isTrust(text) || syscall === 'connect';
}

function refused(failure: PortFailure, { permission, region }: Asked, code: string): PortError {
  const what = failure === 'already-exists' ? 'found it there already' : 'met it in use';
  return new PortError({
    failure,
    message: `${permission} in ${region} ${what} (${code}); read it again before changing it`,
  });
}

function unclear({ permission, region }: Asked, { message }: PortError): PortError {
  return new PortError({
    failure: 'unclear',
    message:
      `Whether ${permission} in ${region} took effect is unknown, so read before writing again. ` +
      message,
  });
}
