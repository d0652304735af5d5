import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collector, type Tally, type TestEvent, totals } from './tally.ts';

const FILE = '/checkout/a.test.ts';

type Body = TestEvent['data'];

function event(type: string, body: Body): TestEvent {
  return { type, data: { file: FILE, entryFile: FILE, line: 3, ...body } };
}

function started(name: string, testId: number, parentId = 0): TestEvent {
  return event('test:start', { name, testId, parentId });
}

function passed(name: string, testId: number, more: Body = {}): TestEvent {
  return event('test:pass', { name, testId, details: { type: 'test' }, ...more });
}

function failed(name: string, testId: number, failureType: string, cause: unknown): TestEvent {
  const details = { type: 'test', error: { failureType, cause } };
  return event('test:fail', { name, testId, details });
}

const END = event('test:summary', {});

/** How the runner reports the process of a file. */
function whole(type: string): TestEvent {
  return { type, data: { name: FILE, file: FILE, details: { type: 'test' } } };
}

function tallyOf(events: readonly TestEvent[]): Tally {
  const { take, tally } = collector();
  events.forEach(take);
  return tally([FILE]);
}

test('tests are counted, suites are not', () => {
  const suite = passed('suite', 1, { details: { type: 'suite' } });
  const tally = tallyOf([passed('one', 2), passed('two', 3), suite, END]);
  assert.equal(totals(tally), '2 passed, 0 failed');
});

test('a failure is named through its parents, and its parents are not failures', () => {
  const inner = { ...failed('inner', 2, 'testCodeFailure', 'boom').data, parentId: 1 };
  const tally = tallyOf([
    started('outer', 1),
    started('inner', 2, 1),
    { type: 'test:fail', data: inner },
    failed('outer', 1, 'subtestsFailed', null),
    END,
  ]);
  assert.equal(totals(tally), '0 passed, 1 failed');
  const [failure] = tally.failures;
  assert.equal(failure?.name, 'outer › inner');
  assert.equal(failure.where, `${FILE}:3`);
  assert.equal(failure.error, 'boom');
});

test('what tests measure is kept, what the runner counts is not', () => {
  const measured = event('test:diagnostic', { message: '9 of 10 right' });
  const counted = { type: 'test:diagnostic', data: { message: 'tests 1' } };
  assert.deepEqual(tallyOf([passed('one', 1), measured, counted, END]).measures, ['9 of 10 right']);
});

test('a skip keeps its reason, and a todo counts as one', () => {
  const tally = tallyOf([
    passed('one', 1),
    passed('two', 2, { skip: 'no etcd' }),
    passed('three', 3, { todo: true }),
    END,
  ]);
  assert.equal(totals(tally), '1 passed, 0 failed, 2 skipped');
  assert.deepEqual(
    tally.skips.map(({ reason }) => reason),
    ['no etcd', ''],
  );
});

test('a file that runs no test is a failure, although the runner passes it', () => {
  const tally = tallyOf([event('test:stdout', { message: 'hello' }), whole('test:pass')]);
  assert.equal(totals(tally), '0 passed, 1 failed');
  assert.match(String(tally.failures[0]?.error), /ran no test/);
  assert.equal(tally.failures[0]?.output, 'hello');
});

test('a file whose process leaves before its tests end is a failure', () => {
  const tally = tallyOf([started('one', 1), passed('one', 1), started('two', 2)]);
  assert.equal(totals(tally), '1 passed, 1 failed');
  assert.match(String(tally.failures[0]?.error), /ended before its tests did/);
});

test('a file that does not load is one failure, with what it printed', () => {
  const tally = tallyOf([event('test:stderr', { message: 'no such module' }), whole('test:fail')]);
  assert.equal(totals(tally), '0 passed, 1 failed');
  assert.equal(tally.failures[0]?.output, 'no such module');
});
