import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { COMMAND_DECLARATIONS } from '../../src/apps/cli/declared/commands.ts';
import type { CommandDeclaration } from '../../src/apps/cli/options/declaration.ts';
import { helpPage } from '../../src/apps/cli/options/help-page.ts';
import { parseCommandLine } from '../../src/apps/cli/options/parse.ts';
import { capture } from './capture.ts';

const NAMES = COMMAND_DECLARATIONS.map(({ name }) => name);

/** The words that bash makes of a line from `rollcall` on, or of its part before a pipe or `>`. */
function wordsOf(line: string): readonly string[] {
  const command = /(?:^|[ (])rollcall( [^|>)]*)?/.exec(line)?.[1] ?? '';
  const script = `printf '%s\\n' ${command.replaceAll(/\$\(.*/g, 'x"')}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').slice(0, -1);
}

/** The first word names the command, but for the roll call. */
function read(line: string, { name }: CommandDeclaration): void {
  const words = wordsOf(line).filter((word) => word !== '');
  const [first = 'status'] = words;
  const named = COMMAND_DECLARATIONS.find((command) => command.name === first);
  const command = named ?? COMMAND_DECLARATIONS[0];
  assert.ok(command !== undefined);
  assert.equal(command.name, name, line);
  parseCommandLine(command, named === undefined ? words : words.slice(1));
}

for (const command of COMMAND_DECLARATIONS)
  describe(`rollcall ${command.name}`, () => {
    test('reads its own examples', () => {
      for (const { command: line } of command.examples) read(line, command);
    });

    test('names only existing commands, in sentences without a full stop', () => {
      for (const name of command.seeAlso) assert.ok(NAMES.includes(name), name);
      const said = [command.summary, ...Object.values(command.options).map(({ help }) => help)];
      for (const sentence of said) assert.ok(!sentence.endsWith('.'), sentence);
    });

    test('has a page that fits 80 columns but for commands', () => {
      const lines = helpPage(command, 80).split('\n');
      const examples = lines.indexOf('Examples:');
      const wide = lines.slice(0, examples).filter(({ length }) => length > 80);
      assert.deepEqual(wide, []);
    });

    test('shows the same page for help and --help', async () => {
      const help = await capture(['help', command.name]);
      assert.deepEqual([help.code, help.err], [0, '']);
      assert.deepEqual(await capture([command.name, '--help']), help);
    });
  });

describe('words are refused in a sentence', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['help zebra', 'unknown command "zebra"; list them: rollcall help\n'],
    ['help a b', 'unexpected argument "b"; see: rollcall help help\n'],
    ['diagnose --timeout abc', '--timeout takes a time such as 30s, 15m, 2h or 1d, not "abc"\n'],
    ['diagnose --save', '--save needs a value: --save FILE\n'],
    ['diagnose --save --deep', '--save needs a value: --save FILE\n'],
    ['diagnose --deep=yes', '--deep takes no value\n'],
    ['status --max-pods 3', 'unknown option --max-pods; see: rollcall help status\n'],
    ['explain', 'explain needs a cause: rollcall explain CAUSE; list them: rollcall causes\n'],
  ];
  for (const [line, sentence] of cases)
    test(`rollcall ${line}`, async () => {
      const { code, err } = await capture(line.split(' '));
      assert.deepEqual([code, err], [64, sentence]);
    });
});
