import assert from 'node:assert/strict';
import { test } from 'node:test';
import { places, registryHost } from './places.ts';
import { planted } from './sources.ts';

function found(text: string, path = 'docs/a.md'): readonly string[] {
  const check = places(['/opt/checkout', 'packages.example.org']);
  return check.run(planted({ [path]: text })).map(({ where }) => where);
}

/** Put together here, so that this file names no such place itself. */
function under(...names: readonly string[]): string {
  return `/${names.join('/')}`;
}

const REGISTRY = ['registry', 'npmjs', 'org'].join('.');

test('places of one machine are named with their line', () => {
  for (const place of [
    under('work', 'main'),
    under('root', '.npmrc'),
    under('home', 'alice', 'x'),
    '/opt/checkout/src',
    `https://${REGISTRY}/`,
    'https://packages.example.org/npm',
  ])
    assert.deepEqual(found(`# A\nsee ${place}`), ['docs/a.md:2'], place);
});

test('places that every node or shell has pass', () => {
  for (const place of [
    '/etc/kubernetes',
    '~/.kube/config',
    '/home/ec2-user/x',
    '$HOME/work/x',
    '/rootfs',
  ])
    assert.deepEqual(found(place), [], place);
});

test('a log is quoted as it was, save for where it was written down', () => {
  const example = 'src/causes/launched/x/examples/found-a.txt';
  assert.deepEqual(found(under('root', '.kube', 'config'), example), []);
  assert.deepEqual(found(under('work', 'main'), example), [`${example}:1`]);
});

test('the host of a registry counts where it tells machines apart', () => {
  assert.deepEqual(registryHost('http://localhost:4873/'), ['localhost:4873']);
  assert.deepEqual(registryHost('https://packages.example.org/npm'), ['packages.example.org']);
  assert.deepEqual(registryHost('http://127.0.0.1/'), []);
  assert.deepEqual(registryHost(undefined), []);
});
