import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ProbeResult } from '../../ports/node-probe.ts';
import type { NodeCondition } from './conditions.ts';
import { adopted, decide, looked, type ProbeMemory, unproven } from './decide.ts';

const RULES = { successesForTrue: 3, freshnessMs: 60_000, heartbeatMs: 300_000 };
const TYPE = 'rollcall.dev/DnsWorks';
const WALL_MS = 1_767_225_600_000;
const YES: ProbeResult = { answer: 'yes', reason: 'Resolved', message: 'in 3 ms.' };
const NO: ProbeResult = { answer: 'no', reason: 'NoAnswer', message: 'late.' };
const UNKNOWN: ProbeResult = { answer: 'unknown', reason: 'CannotLook', message: 'denied.' };
const NONE = new Map<string, NodeCondition>();

function after(results: readonly ProbeResult[], start = unproven(TYPE, 'proof')): ProbeMemory {
  return results.reduce(
    (memory, result, index) => looked(memory, result, { monotonicMs: index, rules: RULES }),
    start,
  );
}

function condition(change: Partial<NodeCondition> = {}): NodeCondition {
  const times = { heartbeatMs: WALL_MS - 1000, transitionMs: WALL_MS - 5000 };
  return { type: TYPE, status: 'True', reason: 'Resolved', message: 'm', ...times, ...change };
}

function written(probe: ProbeMemory, before: NodeCondition | null, monotonicMs = 10): string[] {
  const known = before === null ? NONE : new Map([[TYPE, before]]);
  const input = { probes: [probe], written: known, wallMs: WALL_MS, monotonicMs, rules: RULES };
  return decide(input).map(({ status, reason }) => `${status} ${reason}`);
}

test('is True after as many good looks in a row as the rules want, and not before', () => {
  assert.equal(after([YES, YES]).status, 'Unknown');
  assert.equal(after([YES, YES, YES]).status, 'True');
  assert.equal(after([YES, YES, NO, YES, YES]).status, 'False');
  assert.equal(after([YES, YES, UNKNOWN, YES, YES]).status, 'Unknown');
});

test('is False at the first look that fails, with its reason', () => {
  const { status, reason } = after([YES, YES, YES, NO]);
  assert.deepEqual([status, reason], ['False', 'NoAnswer']);
});

test('a notice is True at once and False when it is gone', () => {
  const notice = unproven(TYPE, 'notice');
  assert.equal(after([YES], notice).status, 'True');
  assert.equal(after([YES, NO], notice).status, 'False');
});

test('what cannot be looked at keeps what is proven, until that is too old', () => {
  const proven = after([YES, YES, YES, UNKNOWN]);
  assert.equal(proven.status, 'True');
  assert.deepEqual(written(proven, condition(), 59_000), []);
  assert.deepEqual(written(proven, condition(), 60_002), ['Unknown NoFreshAnswer']);
});

test('is Unknown with the reason while nothing could be looked at', () => {
  assert.deepEqual(written(after([UNKNOWN]), null), ['Unknown CannotLook']);
});

test('writes nothing before the first look', () => {
  assert.deepEqual(written(unproven(TYPE, 'proof'), null), []);
});

test('writes a change of status or reason, and no change of timing or of progress', () => {
  const proven = after([YES, YES, YES]);
  assert.deepEqual(written(proven, condition({ message: 'in 9 ms.' })), []);
  assert.deepEqual(written(proven, condition({ reason: 'Other' })), ['True Resolved']);
  assert.deepEqual(written(proven, condition({ status: 'False' })), ['True Resolved']);
  const proving = after([NO, YES]);
  assert.deepEqual(written(proving, condition({ status: 'False', reason: 'NoAnswer' })), []);
});

test('writes all conditions with one heartbeat', () => {
  const other = { ...after([YES, YES, YES]), type: 'rollcall.dev/ClockOffset' };
  const old = condition({ heartbeatMs: WALL_MS - RULES.heartbeatMs });
  const known = new Map([
    [TYPE, old],
    [other.type, condition({ type: other.type })],
  ]);
  const probes = [after([YES, YES, YES]), other];
  const now = { wallMs: WALL_MS, monotonicMs: 10, rules: RULES };
  assert.equal(decide({ probes, written: known, ...now }).length, 2);
});

test('a clock that was set back leads to a heartbeat', () => {
  const ahead = condition({ heartbeatMs: WALL_MS + 60_000 });
  assert.deepEqual(written(after([YES, YES, YES]), ahead), ['True Resolved']);
});

test('keeps the time of the last change while the status stays', () => {
  const probes = [after([YES, YES, YES])];
  const now = { wallMs: WALL_MS, monotonicMs: 10, rules: RULES };
  const [same] = decide({ probes, written: new Map([[TYPE, condition({ reason: 'X' })]]), ...now });
  assert.equal(same?.transitionMs, WALL_MS - 5000);
  const [other] = decide({
    probes,
    written: new Map([[TYPE, condition({ status: 'False' })]]),
    ...now,
  });
  assert.equal(other?.transitionMs, WALL_MS);
});

test('an agent that starts takes over what is fresh and of this boot', () => {
  const fresh = unproven(TYPE, 'proof');
  const now = { wallMs: WALL_MS, monotonicMs: 100_000, bootedMs: WALL_MS - 10_000, rules: RULES };
  assert.equal(adopted(fresh, condition(), now).status, 'True');
  assert.equal(adopted(fresh, condition(), now).answeredMs, 99_000);
  assert.equal(adopted(after([YES]), condition(), now).status, 'True');
  const stale = condition({ heartbeatMs: WALL_MS - RULES.freshnessMs });
  for (const [memory, before, bootedMs] of [
    [fresh, condition({ heartbeatMs: WALL_MS - 20_000 }), now.bootedMs],
    [fresh, stale, 0],
    [fresh, condition({ heartbeatMs: WALL_MS + 1000 }), now.bootedMs],
    [fresh, undefined, now.bootedMs],
  ] as const)
    assert.equal(adopted(memory, before, { ...now, bootedMs }).status, 'Unknown');
  assert.equal(adopted(after([NO]), condition(), now).status, 'False');
});

const RESULTS = fc.array(fc.constantFrom(YES, NO, UNKNOWN), { maxLength: 40 });

test('True is never reached without the row of good looks, nor kept over one that fails', () => {
  fc.assert(
    fc.property(RESULTS, (results) => {
      const { status } = after(results);
      const answers = results.filter(({ answer }) => answer !== 'unknown');
      const isRow = results.some(
        (_, index) =>
          results.slice(index, index + 3).every(({ answer }) => answer === 'yes') &&
          index + 3 <= results.length,
      );
      if (status === 'True') return isRow && answers.at(-1)?.answer === 'yes';
      return answers.at(-1)?.answer !== 'no' || status === 'False';
    }),
  );
});
