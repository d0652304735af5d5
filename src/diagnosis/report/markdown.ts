import type { DiagnosisDocument, Finding, SubjectReport } from '../document.ts';
import { pasteBlock } from './paste-block.ts';

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

function fence(lines: readonly string[]): readonly string[] {
  return ['```sh', ...lines.map((line) => line.replaceAll('```', "'''")), '```'];
}

function finding(entry: Finding): readonly string[] {
  const because = entry.explainedBy === null ? '' : ` because of ${code(entry.explainedBy)}`;
  const commands = entry.remedy.flatMap((step) => [
    `# ${step.text}`,
    ...(step.command === null ? [] : [step.command]),
  ]);
  return [
    `### ${entry.role}: ${code(entry.cause)} (${entry.stage}, ${entry.confidence})${because}`,
    '',
    entry.summary,
    '',
    ...entry.evidence.map((line) => `- ${code(line.locator)}: ${code(line.excerpt)}`),
    ...(commands.length === 0 ? [] : ['', ...fence(commands)]),
    '',
  ];
}

function timeline(report: SubjectReport): readonly string[] {
  if (report.timeline.length < 2) return [];
  const rows = report.timeline.map(
    (entry) =>
      `| ${entry.time ?? ''} | ${entry.what.replaceAll('|', '\\|')} | ${code(entry.locator)} |`,
  );
  return ['### Time line', '', '| when | what | where |', '|---|---|---|', ...rows, ''];
}

function risks({ risks: from = [] }: SubjectReport): readonly string[] {
  return from.length === 0 ? [] : [`At risk from the cluster: ${from.map(code).join(', ')}.`, ''];
}

function subject(report: SubjectReport): readonly string[] {
  const rungs = report.ladder.map((rung) => `| ${rung.stage} | ${rung.state} |`);
  return [
    `## ${report.kind} ${code(report.name)}: ${report.verdict}`,
    '',
    '| stage | state |',
    '|---|---|',
    ...rungs,
    '',
    ...risks(report),
    ...report.findings.flatMap(finding),
    ...timeline(report),
  ];
}

/** The report as Markdown, for issues and incident pages. */
export function renderMarkdown(document: DiagnosisDocument): string {
  const headline = document.headline;
  const title =
    headline === null
      ? 'the cause is unknown'
      : `${code(headline.cause)} on ${code(headline.subject)}`;
  const block = pasteBlock(document);
  const losses = [...new Set(document.losses.map(({ what }) => `- ${what}`))];
  return [
    `# Diagnosis: ${title}`,
    '',
    ...document.subjects.flatMap(subject),
    ...(losses.length === 0 ? [] : ['## Left out', '', ...losses, '']),
    ...(block.length === 0 ? [] : ['## To decide', '', ...fence(block), '']),
  ].join('\n');
}
