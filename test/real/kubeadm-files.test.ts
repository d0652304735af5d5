/** What `rollcall preflight` says of JoinConfigurations, beside what the real kubeadm says of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { DROPPED, DROPPED_GATES } from '../../src/domain/nodes/dropped-flags.ts';
import { missing, partPath } from './parts.ts';

const PLANS = join(
  import.meta.dirname,
  '../../src/causes/bootstrapped/unusable-join-configuration/plans',
);

/** A file that kubeadm reads only on the machine is refused everywhere else. */
const OF_THE_MACHINE = 'clear-file.yaml';

describe('kubeadm config validate', { skip: missing('kubeadm') }, () => {
  const names = readdirSync(PLANS).filter(
    (name) => /^(?:found|clear)-/.test(name) && name !== OF_THE_MACHINE,
  );
  for (const name of names) {
    const isFound = name.startsWith('found-');
    test(`${isFound ? 'refuses' : 'takes'} ${name}`, () => {
      const args = ['config', 'validate', '--config', join(PLANS, name)];
      const { status, stderr } = spawnSync(partPath('kubeadm'), args, { encoding: 'utf8' });
      assert.equal(status !== 0, isFound, stderr);
    });
  }
});

/** The release of the kubelet that `npm run real-parts` builds. */
const KUBELET_MINOR = 36;

function kubeletSays(...args: readonly string[]): string {
  const config = ['--config', '/nonexistent/rollcall-kubelet.yaml'];
  const { stdout, stderr } = spawnSync(partPath('kubelet'), [...args, ...config], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return stdout + stderr;
}

describe('the real kubelet', { skip: missing('kubelet') }, () => {
  test('knows a gate that it has, and reads its configuration next', () => {
    assert.doesNotMatch(kubeletSays('--feature-gates=NodeSwap=true'), /unrecognized/);
  });

  for (const [gate, since] of Object.entries(DROPPED_GATES))
    test(`does not know the gate ${gate}`, () => {
      assert.ok(since <= KUBELET_MINOR);
      assert.match(kubeletSays(`--feature-gates=${gate}=true`), /unrecognized feature gate/);
    });

  for (const flag of Object.keys(DROPPED))
    test(`does not know the flag --${flag}`, () => {
      assert.match(kubeletSays(`--${flag}=x`), /unknown flag/);
    });
});
