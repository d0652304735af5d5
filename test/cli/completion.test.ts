import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { COMMAND_DECLARATIONS } from '../../src/apps/cli/declared/commands.ts';
import { completionAnswer } from '../../src/apps/cli/completion/answer.ts';
import { completionAsk } from '../../src/apps/cli/completion/ask.ts';
import { capture } from './capture.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-completion-'));
after(() => rmSync(FOLDER, { recursive: true }));

/** What `rollcall __complete` offers for the last of the words, and the number of its last line. */
async function offered(...words: readonly string[]): Promise<readonly [string[], number]> {
  const { code, out, err } = await capture(['__complete', ...words]);
  assert.deepEqual([code, err], [0, '']);
  const lines = out.split('\n').slice(0, -1);
  const directive = Number(/^:(\d+)$/.exec(lines.at(-1) ?? '')?.[1]);
  return [lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''), directive];
}

const NO_FILES = 4;

describe('the shell is offered', () => {
  const cases: readonly (readonly [readonly string[], readonly string[], number])[] = [
    [['dia'], ['diagnose'], NO_FILES],
    [['help', 'c'], ['capacity', 'causes', 'controller', 'completion'], NO_FILES],
    [['diagnose', '--an'], ['--anonymize'], NO_FILES],
    [['--fa'], ['--failed'], NO_FILES],
    [['diagnose', '-o', ''], ['text', 'json', 'yaml', 'markdown'], NO_FILES],
    [['diagnose', '-o', 'j'], ['json'], NO_FILES],
    [['diagnose', '--output=j'], ['json'], NO_FILES],
    [['-o', 'y'], ['yaml'], NO_FILES],
    [['-o', 'custom-columns='], ['custom-columns='], NO_FILES | 2],
    [['causes', '--stage', 'ret'], ['retained'], NO_FILES],
    [['permissions', '--for', 'status,de'], ['status,details'], NO_FILES],
    [['explain', 'aws-auth-miss'], ['aws-auth-missing'], NO_FILES],
    [['explain', 'aws-auth-missing', ''], [], NO_FILES],
    [['lab', 'joined'], ['joined-and-was-gone'], 0],
    [['lab', '--folder', ''], [], 16],
    [['diagnose', '--with', './x'], [], 0],
    [['completion', 'z'], ['zsh'], NO_FILES],
    [['sim', '--faults', 'n'], ['none'], NO_FILES],
    [['diagnose', '--frobnicate', '--ho'], ['--host'], NO_FILES],
  ];
  for (const [words, expected, directive] of cases)
    test(`behind rollcall ${words.join(' ')}`, async () => {
      assert.deepEqual(await offered(...words), [expected, directive]);
    });

  test('every command in order, with its sentence', async () => {
    const { out } = await capture(['__complete', '']);
    const names = COMMAND_DECLARATIONS.map(({ name, summary }) => `${name}\t${summary}`);
    assert.deepEqual(out.split('\n').slice(0, -2), names);
  });

  test('no option twice, but those that may be repeated', async () => {
    const [options] = await offered('diagnose', '--deep', '--with', 'a', '-o', 'json', '--');
    assert.deepEqual(
      ['--deep', '--output', '--with', '--host'].map((name) => options.includes(name)),
      [false, false, true, true],
    );
  });

  test('the contexts of the kubeconfig that the words name', async () => {
    const path = join(FOLDER, 'config');
    const names = ['prod', 'arn:aws:eks:eu-west-1:111122223333:cluster/prod'];
    const contexts = names.map((name) => ({ name, context: { cluster: 'c', user: 'u' } }));
    writeFileSync(path, JSON.stringify({ kind: 'Config', contexts }));
    const words = ['diagnose', '--kubeconfig', path, '--context'];
    assert.deepEqual(await offered(...words, ''), [names, NO_FILES]);
    assert.deepEqual(await offered(...words, 'p'), [['prod'], NO_FILES]);
  });

  test('lists nothing without a kubeconfig and reports no error', async () => {
    const path = join(FOLDER, 'broken');
    writeFileSync(path, '{');
    assert.deepEqual(await offered('status', '--kubeconfig', path, '--context', ''), [
      [],
      NO_FILES,
    ]);
    assert.deepEqual(await offered('diagnose', '--kubeconfig', path, 'ip-'), [[], 0]);
  });
});

test('names that a terminal would obey are not offered', () => {
  const candidates = ['good', 'a\u001B[2J', 'b\nrm', ''].map((value) => ({
    value,
    help: 'x\n\ty',
  }));
  const asked = completionAsk(['diagnose', '']);
  assert.equal(completionAnswer(asked, '', candidates), 'good\tx y\n:0\n');
});

test('a shell that has no script is refused with those that have one', async () => {
  const { code, err } = await capture(['completion', 'tcsh']);
  assert.deepEqual([code, err], [64, 'unknown shell "tcsh"; use bash, zsh or fish\n']);
  assert.match((await capture(['completion'])).err, /^completion needs a shell: bash, zsh or fish/);
});
