import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'js-yaml';
import { joinUnit } from '../../src/controllers/join/install/unit.ts';
import { joinUserData, USER_DATA_FLAVORS } from '../../src/controllers/join/install/user-data.ts';

function execStart(command: readonly string[], options: readonly string[] = []): string {
  const line = joinUnit({ options, command, after: [] })
    .split('\n')
    .find((one) => one.startsWith('ExecStart='));
  return line?.slice('ExecStart='.length) ?? '';
}

describe('the unit', () => {
  test('runs the join with its options', () => {
    assert.equal(
      execStart(['kubeadm', 'join', '--config=/etc/join.yaml'], ['--wait-for-cloud']),
      '/usr/local/bin/rollcall join --wait-for-cloud -- kubeadm join --config=/etc/join.yaml',
    );
  });

  test('keeps words whole, and the signs of systemd without their meaning', () => {
    assert.match(
      execStart(['join me', '50%', '$HOME', 'say "hi"', 'a\\b']),
      /-- "join me" "50%%" "\$\$HOME" "say \\"hi\\"" "a\\\\b"$/,
    );
  });

  test('cannot be given a second line', () => {
    const unit = joinUnit({ options: [], command: ['a\nExecStartPre=/bin/evil'], after: [] });
    assert.equal(unit.split('\n').filter((line) => line.startsWith('ExecStart')).length, 1);
  });
});

describe('user data', () => {
  for (const flavor of USER_DATA_FLAVORS)
    test(`${flavor} runs the join, and says how it ended on the console`, () => {
      const text = joinUserData({ flavor, options: ['--kept', '30s'], command: [] });
      assert.match(text, /rollcall join --console \/dev\/console --kept 30s -- /);
    });

  for (const flavor of ['kubeadm', 'cloud-init', 'kops'] as const)
    test(`${flavor} is a cloud-config whose files are whole`, () => {
      const text = joinUserData({ flavor, options: [], command: ['my join', '"quoted"'] });
      assert.match(text, /^#cloud-config\n/);
      const { write_files: files, runcmd } = load(text) as {
        readonly write_files: readonly { readonly path: string; readonly content: string }[];
        readonly runcmd: readonly string[];
      };
      const unit = files.find(({ path }) => path.endsWith('rollcall-join.service'));
      assert.match(
        unit?.content ?? '',
        /^\[Unit\]\n[^]*-- "my join" "\\"quoted\\""\n[^]*WantedBy=/,
      );
      assert.equal(runcmd.length, 1);
    });

  test('the shell script of eks-al2 quotes each word', () => {
    const text = joinUserData({ flavor: 'eks-al2', options: [], command: ["it's", '$(reboot)'] });
    assert.match(text, /-- 'it'\\''s' '\$\(reboot\)'\n$/);
  });

  test('eks-nodeadm has two parts between its boundaries', () => {
    const text = joinUserData({ flavor: 'eks-nodeadm', options: [], command: [] });
    assert.equal(text.split('--rollcall-join-part\n').length, 3);
    assert.match(text, /--rollcall-join-part--\n$/);
  });
});
