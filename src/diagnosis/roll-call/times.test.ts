import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SubjectReport } from '../document.ts';
import { reportOf } from '../testing.ts';
import { joinedTimes, NO_TIMES, rowKey, timesOf } from './times.ts';

const AT = '1970-01-01T00:00:0';
const rung = (stage: SubjectReport['ladder'][number]['stage'], since: string | null) => ({
  stage,
  state: 'passed' as const,
  since,
  evidence: [],
});
const happened = (time: string | null, what: string) => ({ time, what, source: '', locator: '' });
const LADDER = [rung('networked', `${AT}2Z`), rung('usable', `${AT}5Z`)];

/** The times of one machine by its key. */
function timesFor(change: Partial<SubjectReport>) {
  const subjects = [reportOf('a', change)];
  return timesOf({ subjects } as unknown as Parameters<typeof timesOf>[0]).get('a');
}

describe('the times of a row', () => {
  test('begin where its machine came to its stage, or became usable', () => {
    const stuck = { ladder: LADDER, stage: 'networked', verdict: 'not-usable' } as const;
    assert.equal(timesFor(stuck)?.sinceMs, 2000);
    assert.equal(timesFor({ ladder: LADDER, stage: null, verdict: 'usable' })?.sinceMs, 5000);
    assert.equal(timesFor({ ...stuck, stage: 'gated' })?.sinceMs, null);
    assert.equal(timesFor({ ...stuck, ladder: [rung('networked', null)] })?.sinceMs, null);
  });

  test('end with what happened last, of equal times the later one', () => {
    const all = [`${AT}3Z`, null, `${AT}1Z`, 'some time'].map((time, rank) =>
      happened(time, `${rank}`),
    );
    assert.deepEqual(timesFor({ timeline: all })?.last, { atMs: 3000, what: '0' });
    const equal = [...all, happened(`${AT}3Z`, 'again')];
    assert.deepEqual(timesFor({ timeline: equal })?.last, { atMs: 3000, what: 'again' });
    assert.equal(timesFor({ timeline: [happened(null, 'x')] })?.last, null);
  });

  test('are of machines, by instance or name', () => {
    const subjects = [
      reportOf('a', { instanceId: 'i-1' }),
      reportOf('b'),
      reportOf('shop', { kind: 'Cluster' }),
    ];
    const times = timesOf({ subjects } as unknown as Parameters<typeof timesOf>[0]);
    assert.deepEqual([...times.keys()], ['i-1', 'b']);
    assert.equal(rowKey({ name: 'a', instanceId: null }), 'a');
  });

  test('that were recorded go further back, and the last of both is the last', () => {
    const [early, late] = [2, 4].map((ms) => ({ sinceMs: ms, last: { atMs: ms, what: `${ms}` } }));
    assert.ok(early !== undefined && late !== undefined);
    assert.deepEqual(joinedTimes(late, early), { sinceMs: 2, last: late.last });
    assert.deepEqual(joinedTimes(early, late), { sinceMs: 4, last: late.last });
    assert.deepEqual(joinedTimes(late, NO_TIMES), late);
    assert.deepEqual(joinedTimes(NO_TIMES, late), late);
    assert.deepEqual(NO_TIMES, { sinceMs: null, last: null });
  });
});
