import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SubjectReport } from './document.ts';
import { type Aging, createMemory } from './memory.ts';
import type { Subject } from './subject.ts';
import { causeOf, named, observationsOf, subjectOf } from './testing.ts';

const CAUSE = causeOf('c', 'networked');
const HOLDS_MS = 30_000;

function machine(name: string): Subject {
  return subjectOf({ name, names: named(`host ${name}`) });
}

/** Three machines of which a cause asked the time; the first two are usable. */
function threeMachines() {
  const subjects = ['a', 'b', 'failing'].map(machine);
  const memory = createMemory();
  const look = (atMs: number, aging?: Aging): readonly string[] => {
    const collection = { atMs, cluster: null, asked: [], refusals: [], shortened: [] };
    memory.look({ observations: { ...observationsOf(), collection }, subjects }, aging);
    return subjects.filter((one) => memory.of(one).stale.delete(CAUSE)).map(({ name }) => name);
  };
  look(0);
  for (const subject of subjects) {
    const conclusion = memory.of(subject);
    memory.read(conclusion, CAUSE, 'clock');
    const verdict = subject.name === 'failing' ? 'not-usable' : 'usable';
    const report = { verdict } as SubjectReport;
    const nothing = {
      founds: [],
      symptoms: [],
      shared: [],
      causes: [],
      ruledOut: new Set<string>(),
    };
    const value = { ...nothing, report };
    conclusion.report = { value, kinds: new Set(), elsewhere: new Set() };
  }
  return look;
}

test('time alone lets a usable machine be asked again four times as late, and some at a look', () => {
  const look = threeMachines();
  assert.deepEqual(look(HOLDS_MS - 1, { holdsMs: HOLDS_MS }), []);
  assert.deepEqual(look(HOLDS_MS, { holdsMs: HOLDS_MS }), ['failing']);
  assert.deepEqual(look(4 * HOLDS_MS, { holdsMs: HOLDS_MS, usableMax: 1 }), ['a', 'failing']);
  assert.deepEqual(look(4 * HOLDS_MS + 1, { holdsMs: HOLDS_MS, usableMax: 1 }), ['b']);
});

test('where nothing may be older than the look, everybody is asked again', () => {
  const look = threeMachines();
  assert.deepEqual(look(1), ['a', 'b', 'failing']);
});
