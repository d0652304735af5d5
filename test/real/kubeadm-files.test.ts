/** What `rollcall preflight` says of JoinConfigurations, beside what the real kubeadm says of them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
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
