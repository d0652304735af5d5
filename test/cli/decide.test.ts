import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import { causeOf } from '../../src/causes/catalogue.ts';
import { CAUSES } from '../../src/causes/index.generated.ts';
import type { DiagnosisDocument, Headline } from '../../src/diagnosis/document.ts';
import { decidingCommands, pasteBlock } from '../../src/diagnosis/report/paste-block.ts';
import { renderText } from '../../src/diagnosis/report/text.ts';
import { loadCases } from '../accuracy/cases.ts';
import { ASKED } from '../causes/asked.ts';
import { type ExampleFile, loadExamples, parseExample } from '../causes/example.ts';
import { capture } from './capture.ts';
import { whatWrites } from './read-only.ts';

/** As many as `--all` shows. */
const ALL_COMMANDS = 40;
const UNDECIDED = join(import.meta.dirname, 'undecided');

describe('commands that only read', () => {
  for (const command of [
    'sudo rm -rf /var/lib/kubelet',
    'kubectl delete node a',
    'kubectl run check --rm -i --image=busybox',
    'kubectl exec a -- cat /etc/hosts',
    'aws ec2 terminate-instances --instance-ids i-1',
    'journalctl -u kubelet > /tmp/log',
    'cat /etc/hosts | sudo tee /etc/other',
    'sed -i s/a/b/ /etc/hosts',
    'curl -X POST https://example.net',
    'curl -o /usr/bin/kubelet https://example.net',
    'date; systemctl restart kubelet',
    'date -u -s 2026-11-20',
    'date 112009002026',
    'echo $(reboot)',
  ]) {
    test(`${command} is not one`, () => assert.notEqual(whatWrites(command), null));
  }

  test('those by which the causes are decided are', async () => {
    const writing: string[] = [];
    for (const entry of CAUSES) {
      const { id, decide } = causeOf(await entry.load());
      const fault = decide.command === null ? 'it has none' : whatWrites(decide.command);
      if (fault !== null) writing.push(`${id}: ${fault}`);
    }
    assert.deepEqual(writing, []);
  });
});

interface Pile {
  readonly name: string;
  readonly files: readonly ExampleFile[];
}

const piles: readonly Pile[] = [
  ...(ASKED.length === 0 ? loadCases() : []),
  ...loadExamples(ASKED)
    .filter(({ expect }) => expect === 'unknown')
    .map(({ cause, name, files }) => ({ name: `${cause}/${name}`, files })),
];

/** The lines of the report's last passage, those put together that were cut to fit the page. */
function blockIn(text: string): readonly string[] {
  const [, block = ''] = text.split('Pipe its output back:\n\n');
  const whole = block.replace(/ \\\n\s+/g, ' ');
  return whole.split('\n').filter((line) => line.startsWith('    '));
}

function headings(document: DiagnosisDocument): readonly (readonly number[])[] {
  const worth = new Map(
    decidingCommands(document, ALL_COMMANDS).map((one) => [one.command, one.worth]),
  );
  const groups: number[][] = [];
  for (const line of pasteBlock(document, ALL_COMMANDS)) {
    if (line.startsWith('# ')) groups.push([]);
    else groups.at(-1)?.push(worth.get(line) ?? 0);
  }
  return groups;
}

function isDescending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => number <= (numbers[index - 1] ?? Infinity));
}

/** Names in angle brackets that the one machine of the evidence could have filled. */
function unfilled(document: DiagnosisDocument, block: readonly string[]): readonly string[] {
  const machines = document.subjects.filter(({ kind }) => kind === 'Machine');
  const [only] = machines;
  if (only === undefined || machines.length > 1) return [];
  const { node, instanceId } = only;
  const known = [
    node === null ? null : '<node>',
    instanceId === null ? null : '<instance>',
    node?.startsWith('ip-') === true ? 'describe-instances --instance-ids <instance>' : null,
    node?.endsWith('.compute.internal') === true ? '<region>' : null,
  ];
  const text = block.join('\n');
  return known.filter((name) => name !== null).filter((name) => text.includes(name));
}

function isUndecided({ headline, subjects }: DiagnosisDocument): boolean {
  const isUsable = subjects.length > 0 && subjects.every(({ verdict }) => verdict === 'usable');
  return headline === null && !isUsable;
}

const undecided: { readonly name: string; readonly document: DiagnosisDocument }[] = [];
for (const { name, files } of piles) {
  const document = await diagnoseTexts(files);
  if (isUndecided(document)) undecided.push({ name, document });
}

describe('what nothing decides ends with one block to paste', () => {
  for (const { name, document } of undecided) {
    test(name, () => {
      const text = renderText(document, {
        columns: 100,
        colour: false,
        paths: ['logs'],
        all: true,
      });
      const lines = blockIn(text).map((line) => line.trim());
      const earlier = lines.pop();
      assert.equal(earlier, '… | rollcall diagnose - --with logs');
      assert.ok(text.endsWith(`${earlier}\n`), text);
      assert.deepEqual(lines, pasteBlock(document, ALL_COMMANDS));
      const commands = lines.filter((line) => !line.startsWith('# '));
      assert.ok(commands.length > 0, text);
      assert.deepEqual(
        commands.map(whatWrites).filter((fault) => fault !== null),
        [],
      );
      assert.deepEqual(unfilled(document, lines), []);
      const groups = headings(document);
      assert.ok(groups.every(isDescending), lines.join('\n'));
      assert.ok(isDescending(groups.map(([first = 0]) => first)), lines.join('\n'));
    });
  }
});

/** A pile that nothing decides, and what one command of its block prints. */
interface Undecided {
  readonly expect: string;
  readonly earlier: readonly ExampleFile[];
  /** As typed; `…` stands for what the block says there. */
  readonly command: string;
  readonly answer: string;
}

async function readUndecided(name: string): Promise<Undecided> {
  const text = await readFile(join(UNDECIDED, name), 'utf8');
  const { files } = parseExample(text);
  const answer = files.find((file) => file.name === 'answer')?.text ?? '';
  const [first = '', ...rest] = answer.split('\n');
  return {
    expect: /^expect: (\S+)$/m.exec(text)?.[1] ?? '',
    earlier: files.filter((file) => file.name !== 'answer'),
    command: first.replace(/^\$ /, ''),
    answer: rest.join('\n'),
  };
}

function wild(text: string, open: RegExp): RegExp {
  const parts = text.split(open).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`);
}

/** The line of the block that the user typed. */
function typed(block: readonly string[], command: string): string | undefined {
  return block.find(
    (line) => wild(command, /…/).test(line) || wild(line, /<[\w-]+>/).test(command),
  );
}

async function folderOf(t: TestContext, files: readonly ExampleFile[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rollcall-decide-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const { name, text } of files) await writeFile(join(folder, name), text);
  return folder;
}

async function headlineOf(argv: readonly string[], input: string | null): Promise<string | null> {
  const { out } = await capture(['diagnose', ...argv, '-o', 'json'], input);
  return (JSON.parse(out) as { readonly headline: Headline | null }).headline?.cause ?? null;
}

/** How a paste begins: with the output alone, or with the command as the terminal shows it. */
const PROMPTS = [null, '$', '[ec2-user@ip-10-60-12-40 ~]$', 'root@ip-10-60-12-40:~#'] as const;

const names = await readdir(UNDECIDED);

describe('the answer to one command of the block decides', () => {
  for (const name of names) {
    test(name.replace('.txt', ''), async (t) => {
      const { expect, earlier, command, answer } = await readUndecided(name);
      const folder = await folderOf(t, earlier);
      assert.equal(await headlineOf([folder], null), null);
      const block = blockIn((await capture(['diagnose', folder, '--all'])).out).map((line) =>
        line.trim(),
      );
      const line = typed(block, command);
      assert.ok(line !== undefined, `\`${command}\` is not in\n${block.join('\n')}`);
      const asked = command.includes('…') ? line : command;
      for (const prompt of PROMPTS) {
        const pasted = prompt === null ? answer : `${prompt} ${asked}\n${answer}`;
        assert.equal(await headlineOf(['-', '--with', folder], pasted), expect, pasted);
      }
    });
  }
});
