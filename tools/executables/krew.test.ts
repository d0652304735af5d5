import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'js-yaml';
import { type JsonObject, listAt, textAt } from '../../src/evidence/json.ts';
import { version } from '../package-manifest.ts';
import { krewManifest } from './krew.ts';
import { PLATFORMS } from './platforms.ts';

const RELEASES = 'https://releases.example.com/rollcall/releases/download';
const ARCHIVES = PLATFORMS.map((platform, index) => ({
  platform,
  name: `rollcall-${platform.name}.tar.gz`,
  sha256: String(index).repeat(64),
}));
const manifest = load(krewManifest(ARCHIVES, `${RELEASES}/`)) as JsonObject;

/** Fields of each object, as krew's guide for developers of plugins names them. */
const FIELDS = {
  '': ['apiVersion', 'kind', 'metadata', 'spec'],
  metadata: ['name'],
  spec: ['version', 'homepage', 'shortDescription', 'description', 'platforms'],
} as const;
const PLATFORM_FIELDS = ['selector', 'uri', 'sha256', 'files', 'bin'];

function keysAt(path: string): readonly string[] {
  return Object.keys(path === '' ? manifest : (manifest[path] as object));
}

test('a manifest has the fields that krew requires, and no other', () => {
  for (const [path, fields] of Object.entries(FIELDS))
    assert.deepEqual(new Set(keysAt(path)), new Set(fields), path);
  for (const platform of listAt(manifest, 'spec.platforms'))
    assert.deepEqual(new Set(Object.keys(platform as object)), new Set(PLATFORM_FIELDS));
  assert.equal(textAt(manifest, 'apiVersion'), 'krew.googlecontainertools.github.com/v1alpha2');
  assert.equal(textAt(manifest, 'kind'), 'Plugin');
});

test('the name and the version are of the forms that krew takes', () => {
  assert.match(textAt(manifest, 'metadata.name') ?? '', /^[\w-]+$/);
  assert.equal(textAt(manifest, 'spec.version'), `v${version()}`);
  // krew shows it in a list, without a full stop and in one line of 50 characters.
  assert.match(textAt(manifest, 'spec.shortDescription') ?? '', /^[^\n]{10,49}[^.\n]$/);
});

test('each platform is one of krew, with its archive', () => {
  const found = listAt(manifest, 'spec.platforms').map((one) => [
    textAt(one, 'selector.matchLabels.os'),
    textAt(one, 'selector.matchLabels.arch'),
    textAt(one, 'uri'),
    textAt(one, 'sha256'),
  ]);
  assert.deepEqual(
    found,
    ARCHIVES.map(({ platform: { os, arch }, name, sha256 }) => [
      os,
      arch,
      `${RELEASES}/v${version()}/${name}`,
      sha256,
    ]),
  );
});

test('the program of the plugin is one of the files that are installed', () => {
  for (const one of listAt(manifest, 'spec.platforms')) {
    const files = listAt(one, 'files').map((file) => textAt(file, 'from'));
    assert.ok(files.includes(textAt(one, 'bin') ?? null), JSON.stringify(files));
  }
});
