import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from './capture.ts';

for (const [argv, message] of [
  [['--probes', 'dns'], /agent needs the name of its Node: --node NAME, or \$NODE_NAME/],
  [['--node', 'a', '--probes', 'none'], /unknown probe "none"/],
  [['--node', 'a', '--probes', 'identity'], /the probe identity needs --identity WAY/],
  [['--node', 'a', '--probes', 'csi'], /the probe csi needs --csi-driver NAME/],
  [['--node', 'a', '--probes', 'dns,image-path'], /the probe image-path needs --registry HOST/],
  [['--node', 'a', '--identity', 'magic'], /unknown way to an identity "magic"/],
  [['--node', 'a', '--fresh', '20s'], /--fresh must be at least 3 times --interval/],
  [['--node', 'a', '--api-server', '10.0.0.1'], /--api-server needs an address and a port/],
  [['--node', 'a', '--listen', '8471'], /--listen needs an address and a port/],
] as const)
  test(`agent ${argv.join(' ')} is refused before anything is looked at`, async () => {
    const { code, err } = await capture(['agent', ...argv]);
    assert.equal(code, 64);
    assert.match(err, message);
  });
