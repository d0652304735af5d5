import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import { pasteable } from '../../src/diagnosis/pasteable.ts';

describe('a command as it is pasted', () => {
  for (const [command, pasted] of [
    ['aws eks x --query nodegroup.[a,b.c]', "aws eks x --query 'nodegroup.[a,b.c]'"],
    ['curl -sk https://a:6443/livez?verbose', "curl -sk 'https://a:6443/livez?verbose'"],
    ["aws x --query 'A[].B'", "aws x --query 'A[].B'"],
    [
      'N=$(aws x --query A[].B --output text) && echo "$N"',
      `N=$(aws x --query 'A[].B' --output text) && echo "$N"`,
    ],
    ['ls /etc/cni/net.d/*; [ -f /a ] && id', 'ls /etc/cni/net.d/*; [ -f /a ] && id'],
  ] as const)
    test(command, () => assert.equal(pasteable(command), pasted));
});

/** Every command of every cause, with a word for each name that only the reader knows. */
async function allCommands(): Promise<readonly string[]> {
  const commands: string[] = [];
  for (const entry of CAUSES) {
    const cause = causeOf(await entry.load());
    for (const { command } of [cause.decide, ...cause.remedy({})])
      if (command !== null) commands.push(command);
  }
  return commands.map((command) => command.replace(/<([a-z][\w-]*)>/g, '$1'));
}

const commands = await allCommands();

/** Those of the commands that a shell cannot parse, each found by halves. */
function refused(shell: string, asked: readonly string[]): readonly string[] {
  const input = asked.map((command) => `( ${command}\n)\n`).join('');
  if (spawnSync(shell, ['-n'], { input, encoding: 'utf8' }).stderr === '') return [];
  if (asked.length === 1) return asked;
  const half = asked.length >> 1;
  return [...refused(shell, asked.slice(0, half)), ...refused(shell, asked.slice(half))];
}

test('a name with a blank in it is seen', () => {
  assert.deepEqual(refused('bash', ['id', 'join <join arguments>']), ['join <join arguments>']);
});

for (const shell of ['bash', 'zsh']) {
  const isThere = spawnSync(shell, ['-c', 'true']).error === undefined;
  test(`${shell} parses every command of the causes`, { skip: !isThere && `no ${shell}` }, () => {
    assert.deepEqual(refused(shell, commands), []);
  });
}

test('a shell takes no word of them for a pattern of file names', () => {
  assert.deepEqual(
    commands.filter((command) => pasteable(command) !== command),
    [],
  );
});
