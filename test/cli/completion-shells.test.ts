/** The scripts of `rollcall completion` in the shells themselves, on a terminal, by the Tab key. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, describe, test } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-shells-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

const LIMIT_MS = 60_000;
const READY = 'READY>';
const ARN = 'arn:aws:eks:eu-west-1:111122223333:cluster/prod';

/** A `rollcall` that completes as ours does, and prints what it would have been called with. */
const PROGRAMS = join(FOLDER, 'bin');
mkdirSync(PROGRAMS);
writeFileSync(
  join(PROGRAMS, 'rollcall'),
  `#!/bin/sh\ncase \${1-} in __complete) exec '${join(ROOT, 'bin/rollcall')}' "$@";; esac\nprintf '{%s}' "$@"\necho ' DONE'\n`,
);
chmodSync(join(PROGRAMS, 'rollcall'), 0o755);
writeFileSync(join(FOLDER, 'evidence.log'), '');
writeFileSync(
  join(FOLDER, 'config'),
  JSON.stringify({ kind: 'Config', contexts: [{ name: ARN, context: {} }] }),
);

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish';
  readonly command: string;
  /** What is typed before the script is sourced. */
  readonly setup: string;
  readonly source: string;
}

const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    command: 'bash --norc --noprofile -i',
    setup: `PS1='${READY} '; bind 'set enable-bracketed-paste off'`,
    source: 'source script.bash',
  },
  {
    name: 'zsh',
    command: 'zsh -f -i',
    setup: `autoload -Uz compinit; compinit -D -u; PS1='${READY} '; unset zle_bracketed_paste`,
    source: 'source script.zsh',
  },
  {
    name: 'fish',
    command: 'fish --no-config -i',
    setup: `function fish_prompt; echo -n '${READY} '; end`,
    source: 'source script.fish',
  },
];

/** Types into a shell on a terminal of its own and returns what the line became when it ran. */
async function typed(shell: Shell, line: string): Promise<string> {
  const terminal = spawn('script', ['-qec', shell.command, '/dev/null'], {
    cwd: FOLDER,
    env: {
      PATH: [PROGRAMS, process.env['PATH'] ?? ''].join(delimiter),
      HOME: FOLDER,
      KUBECONFIG: join(FOLDER, 'config'),
      TERM: 'dumb',
      LANG: 'C.UTF-8',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  try {
    const heard = hear(terminal);
    terminal.stdin.write(`${shell.setup}\n`);
    await heard(/READY> (?![^]*READY>)/);
    terminal.stdin.write(`${shell.source} && echo SOURCED\n`);
    await heard(/^SOURCED[^]*READY>/m);
    terminal.stdin.write(`${line}\t`);
    terminal.stdin.write('\n');
    const [, words = ''] = await heard(/^(\{.*\}) DONE/m);
    return words;
  } finally {
    terminal.kill('SIGKILL');
  }
}

/** Waits for words on the terminal, from what has not been matched yet. */
function hear(terminal: ReturnType<typeof spawn>): (pattern: RegExp) => Promise<RegExpExecArray> {
  let text = '';
  let look = (): void => {};
  terminal.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString().replaceAll('\r', '');
    look();
  });
  return async (pattern) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${pattern} in: ${text}`)), LIMIT_MS);
      look = () => {
        const found = pattern.exec(text);
        if (found === null) return;
        clearTimeout(timer);
        text = text.slice(found.index + found[0].length);
        resolve(found);
      };
      look();
    });
}

const LINES: readonly (readonly [string, string])[] = [
  ['rollcall expl', '{explain}'],
  ['rollcall explain aws-auth-miss', '{explain}{aws-auth-missing}'],
  ['rollcall diagnose --anon', '{diagnose}{--anonymize}'],
  ['rollcall lab --folder x --fas', '{lab}{--folder}{x}{--fast}'],
  ['rollcall diagnose --output=mark', '{diagnose}{--output=markdown}'],
  ['rollcall diagnose --context arn:aws:e', `{diagnose}{--context}{${ARN}}`],
  ['rollcall diagnose --with evi', '{diagnose}{--with}{evidence.log}'],
];

test('kubectl asks the same for the words behind kubectl rollcall', () => {
  const program = join(ROOT, 'bin/kubectl_complete-rollcall');
  const answer = execFileSync(program, ['diagnose', '--anon'], { encoding: 'utf8' });
  assert.match(answer, /^--anonymize\t.*\n:4\n$/);
});

for (const shell of SHELLS) {
  const isThere = spawnSync(shell.name, ['--version']).status === 0;
  const skip = isThere ? false : `${shell.name} is not installed`;
  describe(`${shell.name} completes`, { skip }, () => {
    if (isThere) {
      const script = execFileSync(join(ROOT, 'bin/rollcall'), ['completion', shell.name]);
      writeFileSync(join(FOLDER, `script.${shell.name}`), script);
    }
    for (const [line, expected] of LINES)
      test(line, async () => {
        assert.equal(await typed(shell, line), expected);
      });
  });
}
