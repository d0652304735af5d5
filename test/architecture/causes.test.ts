import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeFolders } from './causes.ts';
import { planted } from './sources.ts';

type Texts = Readonly<Record<string, string>>;

function folder(place: string, id: string, stage: string): Texts {
  const root = `src/causes/${place}`;
  return {
    [`${root}/cause.ts`]: `export default defineCause({ id: '${id}', stage: '${stage}' });`,
    [`${root}/examples/found-a.txt`]: '',
    [`${root}/examples/clear-b.txt`]: '',
    [`${root}/examples/unknown-c.txt`]: '',
  };
}

const GOOD: Texts = {
  'src/causes/catalogue.ts': '',
  ...folder('launched/no-capacity', 'no-capacity', 'launched'),
};

function found(texts: Texts): readonly string[] {
  return causeFolders.run(planted(texts)).map(({ where, what }) => `${where} ${what}`);
}

function without(path: string): Texts {
  return Object.fromEntries(Object.entries(GOOD).filter(([name]) => name !== path));
}

test('accepts a complete folder', () => {
  assert.deepEqual(found(GOOD), []);
});

const ROOT = 'src/causes/launched/no-capacity';

const PLANTED: readonly (readonly [Texts, RegExp])[] = [
  [without(`${ROOT}/cause.ts`), /has no cause\.ts/],
  [without(`${ROOT}/examples/found-a.txt`), /has no example found-/],
  [without(`${ROOT}/examples/clear-b.txt`), /has no example clear-/],
  [without(`${ROOT}/examples/unknown-c.txt`), /has no example unknown-/],
  [{ ...GOOD, [`${ROOT}/notes.md`]: '' }, /notes\.md does not belong/],
  [{ ...GOOD, [`${ROOT}/plans/found-a.txt`]: '' }, /plans\/found-a\.txt does not belong/],
  [{ ...GOOD, [`${ROOT}/examples/found-a.json`]: '' }, /found-a\.json does not belong/],
  [{ ...GOOD, [`${ROOT}/examples/maybe-a.txt`]: '' }, /maybe-a\.txt does not belong/],
  [{ ...GOOD, [`${ROOT}/examples/found-A.txt`]: '' }, /found-A\.txt does not belong/],
  [folder('launched/a', 'b', 'launched'), /its id is b, its folder says a/],
  [folder('launched/a', 'a', 'usable'), /its stage is usable, its folder says launched/],
  [folder('kitchen/a', 'a', 'kitchen'), /kitchen, which is no stage/],
  [folder('launched/aB', 'aB', 'launched'), /not kebab-case/],
  [{ ...GOOD, [`${ROOT}/cause.ts`]: 'const id = 1;' }, /its id is missing/],
  [{ ...GOOD, ...folder('usable/no-capacity', 'no-capacity', 'usable') }, /also stands in usable/],
];

test('each way to break a folder is named', () => {
  for (const [texts, message] of PLANTED) {
    const all = found(texts);
    assert.ok(
      all.some((line) => message.test(line)),
      `${message} in ${all.join('; ')}`,
    );
  }
});
