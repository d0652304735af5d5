import assert from 'node:assert/strict';
import { test } from 'node:test';
import { links } from './links.ts';
import { planted } from './sources.ts';

function found(text: string): readonly string[] {
  const files = planted({
    'docs/a.md': text,
    'docs/decisions/b.md': '# The `one` package, again\n',
    'src/x/y.ts': '',
  });
  return links.run(files).map(({ where, what }) => `${where} ${what}`);
}

test('links to files, folders, headings and other sites pass', () => {
  const text = `# Top
[b](decisions/b.md) [c](./decisions/) [d](../src/x/y.ts "title") [e](#top) [root](..)
[f](decisions/b.md#the-one-package-again) [g](https://example.org/nowhere)
[h]: decisions/b.md
\`[i](nowhere.md)\`
\`\`\`
[j](nowhere.md)
\`\`\``;
  assert.deepEqual(found(text), []);
});

test('links that lead nowhere are named with their line', () => {
  const targets = ['nowhere.md', '#nowhere', 'decisions/b.md#other', '../src/x/z.ts'];
  for (const target of targets) {
    const all = found(`# A\n![a](${target})`);
    assert.equal(all.length, 1, target);
    assert.ok(all[0]?.startsWith(`docs/a.md:2 links to ${target},`));
  }
  assert.equal(found('[a]: nowhere.md').length, 1);
});
