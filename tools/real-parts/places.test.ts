import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { artefacts, cacheFolder, findProgram, findPython, isBuilt, stampPath } from './places.ts';
import { type Part, PARTS, recipeStamp } from './recipes.ts';

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'rollcall-places-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

function place(path: string, text = ''): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function placeAll(cache: string, stampOf: (part: Part) => string = recipeStamp): void {
  for (const part of PARTS) {
    for (const path of artefacts(cache, part)) place(path);
    place(stampPath(cache, part), `${stampOf(part)}\n`);
  }
}

test('the cache is where it was asked to be, else among the caches of the user', () => {
  assert.equal(cacheFolder({ ROLLCALL_REAL_PARTS: '/parts', XDG_CACHE_HOME: '/c' }), '/parts');
  assert.equal(cacheFolder({ XDG_CACHE_HOME: '/c' }), '/c/rollcall/real-parts');
  assert.match(cacheFolder({}), /\/\.cache\/rollcall\/real-parts$/);
});

test('an empty cache has nothing, and a full one everything under its usual name', (t) => {
  const cache = folder(t);
  const env = { ROLLCALL_REAL_PARTS: cache };
  assert.equal(findProgram('etcd', env), null);
  assert.equal(findPython(env), null);
  placeAll(cache);
  for (const name of ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'])
    assert.equal(findProgram(name, env), join(cache, 'bin', name));
  assert.equal(findPython(env), join(cache, 'python/bin/python3'));
  assert.equal(findProgram('kube-proxy', env), null);
});

test('what another recipe made is as good as missing', (t) => {
  const cache = folder(t);
  placeAll(cache, () => 'of another version');
  assert.equal(PARTS.filter((part) => isBuilt(cache, part)).length, 0);
});

test('a part that lacks one of its programs is missing', (t) => {
  const cache = folder(t);
  placeAll(cache);
  rmSync(join(cache, 'bin/kube-scheduler'));
  assert.deepEqual(
    PARTS.filter((part) => !isBuilt(cache, part)).map(({ name }) => name),
    ['control-plane'],
  );
});

test('a program that KUBEBUILDER_ASSETS has goes before one that was built', (t) => {
  const [cache, assets] = [folder(t), folder(t)];
  const env = { ROLLCALL_REAL_PARTS: cache, KUBEBUILDER_ASSETS: assets };
  placeAll(cache);
  place(join(assets, 'etcd'));
  assert.equal(findProgram('etcd', env), join(assets, 'etcd'));
  assert.equal(findProgram('kube-apiserver', env), join(cache, 'bin/kube-apiserver'));
});

test('every part has a separate stamp', () => {
  assert.equal(new Set(PARTS.map(recipeStamp)).size, PARTS.length);
});
