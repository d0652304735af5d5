import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CutKeeper } from '../../src/collection/recording/cuts.ts';
import { bodyOfPart, partsOf, textOfPart } from '../../src/collection/recording/parts.ts';
import type { Pile } from '../../src/collection/recording/pile.ts';
import { KUBE_LISTS, PODS } from '../../src/collection/resources.ts';
import { listAt, textAt } from '../../src/evidence/json.ts';

const ROW_BYTES_MAX = 64 * 1024;
const LIST = KUBE_LISTS.find(({ resource }) => resource === PODS) ?? assert.fail();
const COLLECTION = { atMs: 0, cluster: 'shop', asked: [], refusals: [], shortened: [] };

function pods(count: number, note = 'x'.repeat(1000)): ReadonlyMap<string, string> {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const name = `web-${index}`;
      return [`shop/${name}`, JSON.stringify({ metadata: { name }, note })];
    }),
  );
}

function pile(change: Partial<Pile> = {}): Pile {
  return { lists: new Map([[LIST, pods(300)]]), documents: [], collection: COLLECTION, ...change };
}

function answerOf(items: number, text: string): Pile['documents'] {
  const Reservations = Array.from({ length: items }, (_, index) => ({ id: index, text }));
  const content = { kind: 'AwsAnswer', call: 'ec2:DescribeInstances', answer: { Reservations } };
  return [{ name: 'aws/instances.json', locator: 'aws ec2 describe-instances', content }];
}

test('each part fits into a row, and together they hold everything', () => {
  const documents = answerOf(400, 'y'.repeat(1000));
  const { parts, leftOut } = partsOf(pile({ documents }));
  const bodies = parts.map(bodyOfPart);
  for (const body of bodies) assert.ok(JSON.stringify(body).length < ROW_BYTES_MAX);
  const names = bodies.flatMap((body) => listAt(body, 'items').map((one) => textAt(one, 'key')));
  assert.equal(new Set(names).size, 300);
  const ids = bodies.flatMap((body) =>
    listAt(body, 'content.answer.Reservations').map((one) => textAt(one, 'id')),
  );
  assert.deepEqual(
    ids,
    Array.from({ length: 400 }, (_, index) => String(index)),
  );
  const pages = bodies.flatMap((body) => textAt(body, 'name') ?? []);
  assert.equal(new Set(pages).size, pages.length);
  assert.equal(leftOut, 0);
});

test('what comes changes one part, and the others stay as they are', () => {
  const before = new Set(partsOf(pile()).parts.map(textOfPart));
  const more = new Map([...pods(300), ['shop/new', '{"metadata":{"name":"new"}}']]);
  const after = partsOf(pile({ lists: new Map([[LIST, more]]) })).parts.map(textOfPart);
  assert.equal(after.filter((text) => !before.has(text)).length, 1);
});

test('what no row can hold is counted, and a long log keeps its end', () => {
  const large = new Map([['shop/large', JSON.stringify({ note: 'z'.repeat(70_000) })]]);
  const content = { kind: 'ContainerLog', text: `${'a'.repeat(100_000)}the end` };
  const documents = [
    { name: 'log.json', locator: 'kubectl logs', content },
    ...answerOf(1, 'y'.repeat(70_000)),
  ];
  const { parts, leftOut } = partsOf({ ...pile({ documents }), lists: new Map([[LIST, large]]) });
  assert.equal(leftOut, 2);
  assert.equal(parts.length, 1);
  const [log] = parts.map(bodyOfPart);
  assert.ok(textAt(log, 'content.text')?.endsWith('the end'));
});

test('evidence is kept when a verdict changes, no faster than its budget, each part once', () => {
  const cuts = new CutKeeper({ bytesPerS: 10_000 });
  const kinds = (nowMs: number, hasChanged: boolean): readonly string[] => {
    const moment = { cluster: 'shop', nowMs, skewMs: null };
    return cuts.rows(() => pile(), hasChanged, moment).map(({ kind }) => kind);
  };
  const first = kinds(0, false);
  assert.ok(first.length > 5);
  assert.equal(first.at(-1), 'cut');
  assert.deepEqual(kinds(20_000, true), [], 'the first took the budget of 30 s');
  assert.deepEqual(kinds(40_000, false), ['cut'], 'the change is made up for');
  assert.deepEqual(kinds(80_000, false), [], 'nothing has changed');
  assert.ok(kinds(86_400_000, true).length > 5, 'each day has its parts');
});
