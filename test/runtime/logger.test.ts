import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../src/ports/port-error.ts';
import {
  errorFields,
  Logger,
  type LogFormat,
  type LogLevel,
} from '../../src/runtime/log/logger.ts';

function logged(
  act: (logger: Logger) => void,
  level: LogLevel = 'debug',
  format?: () => LogFormat,
): readonly string[] {
  const lines: string[] = [];
  const clock = { nowMs: () => 1_767_225_600_123 };
  const form = format === undefined ? {} : { format };
  act(new Logger({ clock, level: () => level, write: (line) => lines.push(line), ...form }));
  return lines;
}

function fieldsOf(line: string | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(line ?? '') as Readonly<Record<string, unknown>>;
}

test('a line is one JSON object with time, level, message and fields', () => {
  const [line] = logged((logger) => logger.info('look done', { nodes: 3, is: { a: [null] } }));
  const head = '{"time":"2026-01-01T00:00:00.123Z","level":"info","message":"look done"';
  assert.equal(line, `${head},"nodes":3,"is":{"a":[null]}}\n`);
});

test('lines below the level are left out', () => {
  const all = (logger: Logger): void => {
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level](level);
  };
  const levels = (level: LogLevel): readonly unknown[] =>
    logged(all, level).map((line) => fieldsOf(line)['message']);
  assert.deepEqual(levels('debug'), ['debug', 'info', 'warn', 'error']);
  assert.deepEqual(levels('warn'), ['warn', 'error']);
  assert.deepEqual(levels('error'), ['error']);
});

test('a logger passes its fields on, and a line may replace them', () => {
  const [line] = logged((logger) => logger.with({ a: 1, b: 1 }).with({ b: 2 }).warn('x', { c: 3 }));
  const { a, b, c } = fieldsOf(line);
  assert.deepEqual([a, b, c], [1, 2, 3]);
});

test('fields cannot replace time, level and message', () => {
  const [line] = logged((logger) => logger.info('true', { time: 'x', level: 'x', message: 'x' }));
  const { time, level, message } = fieldsOf(line);
  assert.deepEqual([time, level, message], ['2026-01-01T00:00:00.123Z', 'info', 'true']);
});

test('no secret is in a message, a field or its name', () => {
  const token = 'abcdef.0123456789abcdef';
  const [line] = logged((logger) =>
    logger.error(`token ${token}`, {
      note: `token ${token}`,
      password: 'hunter2',
      [`token ${token}`]: 1,
    }),
  );
  assert.doesNotMatch(line ?? '', /0123456789abcdef|hunter2/);
});

test('no half of a secret is left where a message is cut', () => {
  const [line] = logged((logger) =>
    logger.info(`${'word '.repeat(398)}xx abcdef.0123456789abcdef`),
  );
  assert.doesNotMatch(line ?? '', /abcdef\./);
});

test('a line stays one line, and has a limit', () => {
  const [line, cut] = logged((logger) => {
    logger.info('a\nb\u001b[31m', { text: 'c\nd' });
    logger.info('m'.repeat(50_000), { long: 'word '.repeat(20_000), n: 1 });
  });
  assert.match(line ?? '', /^[^\n]+\n$/);
  assert.doesNotMatch(line ?? '', /\u001b/);
  assert.equal(fieldsOf(cut)['isCut'], true);
  assert.equal(String(fieldsOf(cut)['message']).length, 2000);
  assert.ok((cut?.length ?? 0) < 16_384);
});

test('an error of a port has its failure, a bug its place', () => {
  const denied = new PortError({ failure: 'denied', message: 'm', permission: 'list nodes' });
  assert.deepEqual(errorFields(denied), {
    error: 'm',
    failure: 'denied',
    permission: 'list nodes',
  });
  const late = new PortError({ failure: 'timeout', message: 'm' });
  assert.deepEqual(errorFields(late), { error: 'm', failure: 'timeout' });
  const { error, stack } = errorFields(new TypeError('x is null'));
  assert.equal(error, 'TypeError: x is null');
  assert.match(JSON.stringify(stack), /logger\.test\.ts/);
  assert.deepEqual(errorFields('thrown text'), { error: 'thrown text' });
});

test('as text a line has the time, the level unless it is info, and the message', () => {
  const lines = logged(
    (logger) => {
      logger.info('look\n  done', { nodes: 3 });
      logger.warn('token abcdef.0123456789abcdef');
    },
    'info',
    () => 'text',
  );
  const [info, warning] = lines;
  assert.equal(info, '2026-01-01T00:00:00.123Z  look done\n');
  assert.match(warning ?? '', /^2026-01-01T00:00:00\.123Z {2}warn: token [^0-9]+\n$/);
});

test('the format may change between two lines', () => {
  let format: LogFormat = 'json';
  const [json, text] = logged(
    (logger) => {
      logger.info('one');
      format = 'text';
      logger.info('two');
    },
    'info',
    () => format,
  );
  assert.equal(fieldsOf(json)['message'], 'one');
  assert.match(text ?? '', /Z {2}two\n$/);
});
