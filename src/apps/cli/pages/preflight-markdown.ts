import type {
  ForeseenFinding,
  PreflightDocument,
  PreflightSubject,
} from '../../../diagnosis/preflight.ts';
import { counted } from '../../../domain/words.ts';
import { printable } from '../../../evidence/redact.ts';
import { placeIn } from './preflight-page.ts';

const OUTCOMES = {
  usable: 'nothing found',
  'not-usable': 'its machines will not become usable nodes',
  'cannot-tell': 'cannot tell',
} as const;

/** The answer as a comment on a pull request; text of the plan is text in it, never markup. */
export function preflightMarkdown(document: PreflightDocument): string {
  const { subjects, losses } = document;
  const open = subjects.filter(({ verdict }) => verdict !== 'usable');
  return [
    `# Preflight: ${titleOf(document)}`,
    '',
    ...(subjects.length === 0 ? [] : [...tableOf(subjects), '']),
    ...open.flatMap(subjectLines),
    ...(losses.length === 0 ? [] : ['## Not read', '']),
    ...losses.map(({ what }) => `- ${plain(what)}`),
  ].join('\n');
}

function titleOf({ subjects, losses }: PreflightDocument): string {
  const failing = subjects.filter(({ verdict }) => verdict === 'not-usable').length;
  if (failing > 0) return `${failing} of ${counted(subjects.length, 'group')} without usable nodes`;
  const isOpen = losses.length > 0 || subjects.some(({ verdict }) => verdict === 'cannot-tell');
  if (isOpen) return 'cannot tell';
  return subjects.length === 0 ? 'nothing to judge' : 'nothing found';
}

function tableOf(subjects: readonly PreflightSubject[]): readonly string[] {
  const rows = subjects.map(({ address, plan, cluster, verdict, findings }) => {
    const causes = findings.map(({ cause }) => code(cause)).join(', ');
    const cells = [code(address), code(plan), cluster === null ? '' : code(cluster)];
    return `| ${[...cells, OUTCOMES[verdict], causes].join(' | ')} |`;
  });
  return ['| group | plan | cluster | outcome | causes |', '|---|---|---|---|---|', ...rows];
}

function subjectLines(subject: PreflightSubject): readonly string[] {
  const { address, plan, findings, notObservable } = subject;
  return [
    `## ${code(address)} in ${code(plan)}`,
    '',
    ...findings.flatMap((finding) => findingLines(finding, plan)),
    ...notObservable.flatMap(({ why, collect }) => [
      `Unknown: ${plain(why)}.`,
      '',
      ...(collect === '' ? [] : [...fence(collect, ''), '']),
    ]),
  ];
}

function findingLines(finding: ForeseenFinding, plan: string): readonly string[] {
  const { cause, confidence, address, summary, why, evidence, remedy } = finding;
  return [
    `### ${code(cause)} (${confidence}) at ${code(address)}`,
    '',
    plain(summary),
    '',
    ...evidence.map(
      ({ locator, excerpt }) => `- ${code(placeIn(plan, locator))}: ${code(excerpt)}`,
    ),
    '',
    `Why: ${plain(why)}`,
    '',
    'Fix:',
    '',
    ...remedy.flatMap(({ text, command }) => [
      `- ${plain(text)}`,
      ...(command === null ? [] : ['', ...fence(command, '  '), '']),
    ]),
    '',
  ];
}

/** A line's end would begin another block. */
function inLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, ' ');
}

/** In a cell of a table a bar would end the cell, in a code span too. */
function code(text: string): string {
  return `\`${inLine(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '@': '&#64;',
};

function plain(text: string): string {
  return inLine(text)
    .replaceAll('`', "'")
    .replaceAll(/[\\*[\]#|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\$&`)
    .replaceAll(/[&<>@]/g, (sign) => ENTITIES[sign] ?? sign);
}

function fence(command: string, margin: string): readonly string[] {
  const rows = printable(command).replaceAll('```', "'''").split('\n');
  return ['```sh', ...rows, '```'].map((row) => `${margin}${row}`);
}
