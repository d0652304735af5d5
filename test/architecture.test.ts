/**
 * The rules of the house, each read from the source of this checkout.
 * A rule lives in `test/architecture/`, beside a test that plants what it must find.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { causeFolders } from './architecture/causes.ts';
import { dependencies } from './architecture/dependencies.ts';
import { forms } from './architecture/forms.ts';
import { cycles, dead, missing } from './architecture/graph.ts';
import { leftovers } from './architecture/leftovers.ts';
import { links } from './architecture/links.ts';
import { manifest } from './architecture/manifest.ts';
import { names } from './architecture/names.ts';
import { places, registryHost } from './architecture/places.ts';
import { purity } from './architecture/purity.ts';
import { rooms } from './architecture/rooms.ts';
import { throughPorts } from './architecture/through-ports.ts';
import { wording } from './architecture/wording.ts';
import { decisionSizes, fileSizes, functionSizes, pathDepths } from './architecture/sizes.ts';
import { type Check, readSources } from './architecture/sources.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FILES = readSources(ROOT);

const HERE = [`${ROOT}/`, ...registryHost(process.env['npm_config_registry'])];

const CHECKS: readonly Check[] = [
  rooms,
  purity,
  throughPorts,
  missing,
  cycles,
  dead,
  functionSizes,
  fileSizes,
  decisionSizes,
  pathDepths,
  forms,
  causeFolders,
  names,
  leftovers,
  links,
  places(HERE),
  manifest,
  dependencies,
  wording,
];

for (const check of CHECKS) {
  test(check.title, () => {
    const found = check.run(FILES).map(({ where, what }) => `${where} ${what}`);
    assert.ok(found.length === 0, found.join('\n'));
  });
}

test('every rule was seen to find something', () => {
  const rules = FILES.filter(({ text }) => /^export (?:const|function) \w+.*: Check\b/m.test(text));
  const paths = new Set(FILES.map(({ path }) => path));
  const unproven = rules.filter(({ path }) => !paths.has(path.replace(/\.ts$/, '.test.ts')));
  assert.ok(rules.length >= 10, `only ${rules.length} rules were read`);
  assert.deepEqual(
    unproven.map(({ path }) => path),
    [],
  );
});

test('the sources were read', () => {
  for (const path of ['package.json', 'bin/rollcall', 'src/evidence/fact.ts'])
    assert.ok(
      FILES.some((file) => file.path === path),
      path,
    );
});

test('generated files are fresh', () => {
  const args = ['tools/generate.ts', '--check'];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
