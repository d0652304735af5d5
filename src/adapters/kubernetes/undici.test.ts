/** The files of undici that are loaded by their paths are what its public index hands out. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Agent, buildConnector, Dispatcher } from 'undici';

const load = createRequire(import.meta.url);

interface PrivateFile {
  readonly path: string;
  /** What the index of undici calls it. */
  readonly name: string;
  readonly value: unknown;
}

const FILES: readonly PrivateFile[] = [
  { path: 'undici/lib/dispatcher/agent.js', name: 'Agent', value: Agent },
  { path: 'undici/lib/core/connect.js', name: 'buildConnector', value: buildConnector },
  {
    path: 'undici/lib/api/api-request.js',
    name: 'Dispatcher.prototype.request',
    value: Reflect.get(Dispatcher.prototype, 'request'),
  },
];

function loaded(path: string): unknown {
  try {
    return load(path);
  } catch (error) {
    return error;
  }
}

for (const { path, name, value } of FILES)
  test(`${path} is ${name} of undici`, () => {
    const { version } = load('undici/package.json');
    const what =
      `undici ${version} no longer has ${name} in ${path}; find the file in the requires of ` +
      'node_modules/undici/index.js and change src/adapters/kubernetes/undici.ts and this list';
    assert.equal(typeof value, 'function', what);
    assert.equal(loaded(path), value, what);
  });

test('no other file of undici is loaded by its path', () => {
  const source = readFileSync(new URL('undici.ts', import.meta.url), 'utf8');
  const paths = [...source.matchAll(/'(undici\/[^']+)'/g)].map(([, path]) => path);
  assert.deepEqual(new Set(paths), new Set(FILES.map(({ path }) => path)));
});
