import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { printable, redact, redactKeys, redactValue } from '../../evidence/redact.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['text', 'json'] as const;

export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LoggerOptions {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Asked for each line, so that it can be changed while the program runs. */
  readonly level: () => LogLevel;
  /** Asked for each line too; JSON when not given. */
  readonly format?: () => LogFormat;
  /** Gets whole lines, with their end. */
  readonly write: (line: string) => void;
}

/** Longer ones lose their fields: a collector of logs would cut them into pieces that are no JSON. */
const LINE_CHARS_MOST = 16 * 1024;
const MESSAGE_CHARS_MOST = 2000;

/**
 * One JSON object a line: `time`, `level`, `message`, and fields; without secrets. As text a line
 * is for a person: time, the level where it is not `info`, message.
 */
export class Logger {
  readonly #options: LoggerOptions;
  readonly #fields: JsonObject;

  constructor(options: LoggerOptions, fields: JsonObject = {}) {
    this.#options = options;
    this.#fields = fields;
  }

  /** A logger whose lines have these fields too. */
  with(fields: JsonObject): Logger {
    return new Logger(this.#options, { ...this.#fields, ...fields });
  }

  debug(message: string, fields?: JsonObject): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: JsonObject): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: JsonObject): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: JsonObject): void {
    this.#log('error', message, fields);
  }

  #log(level: LogLevel, message: string, fields: JsonObject = {}): void {
    const { clock, format = () => 'json', write } = this.#options;
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(this.#options.level())) return;
    const head: Head = {
      time: new Date(clock.nowMs()).toISOString(),
      level,
      message: shown(message),
    };
    write(`${format() === 'text' ? textLine(head) : this.#jsonLine(head, fields)}\n`);
  }

  #jsonLine(head: Head, fields: JsonObject): string {
    const clean = redactKeys(redactValue<Json>({ ...this.#fields, ...fields }));
    // What is named like a part of the head does not replace it.
    const line = JSON.stringify({ ...head, ...(isObject(clean) ? clean : {}), ...head });
    return line.length > LINE_CHARS_MOST ? JSON.stringify({ ...head, isCut: true }) : line;
  }
}

interface Head {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** A message for a person holds what its fields do. */
function textLine({ time, level, message }: Head): string {
  const words = message.replaceAll(/\s*\n\s*/g, ' ');
  return level === 'info' ? `${time}  ${words}` : `${time}  ${level}: ${words}`;
}

/** A secret across the cut is seen whole before it is cut. */
function shown(message: string): string {
  const looked = message.slice(0, 2 * MESSAGE_CHARS_MOST);
  return redact(printable(looked)).slice(0, MESSAGE_CHARS_MOST);
}

/** An error as fields of a line; where a bug happened is said, where a port failed is not. */
export function errorFields(error: unknown): JsonObject {
  if (error instanceof PortError) {
    const { failure, message, permission } = error;
    return { error: message, failure, ...(permission === null ? {} : { permission }) };
  }
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, stack: error.stack ?? '' };
}
