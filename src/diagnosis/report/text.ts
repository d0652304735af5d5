import type { Step } from '../cause.ts';
import type { DiagnosisDocument, EvidenceLine, Finding, Rung, SubjectReport } from '../document.ts';
import { SOURCES } from '../../evidence/source.ts';
import { counted } from '../../domain/words.ts';
import { decidingCommands, pasteBlock } from './paste-block.ts';
import { wrap, wrapCommand } from './wrap.ts';

export interface TextOptions {
  readonly columns: number;
  readonly colour: boolean;
  /** What was looked at, for the command that adds more evidence to it. */
  readonly paths: readonly string[];
  /** Shows every candidate and every command that would decide. */
  readonly all?: boolean;
}

type Paint = 'red' | 'green' | 'yellow' | 'bold' | 'dim';

const CODES: Readonly<Record<Paint, number>> = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 };
const LABEL_WIDTH = 12;
const SUBJECTS_MAX = 12;
const CANDIDATES_MAX = 3;
/** Commands shown of those that would decide; the first tells most. */
const COMMANDS_MAX = 1;
const ALL_COMMANDS_MAX = 40;
const NOT_SEEN_MAX = 3;
const TIMELINE_MIN = 3;
const RECOGNIZED_MAX = 4;

const VERDICTS = {
  usable: 'USABLE',
  'not-usable': 'NOT USABLE',
  'cannot-tell': 'CANNOT TELL',
} as const;
const VERDICT_PAINT = { usable: 'green', 'not-usable': 'red', 'cannot-tell': 'yellow' } as const;
const MARKS = { passed: 'ok', failed: 'FAILED', pending: 'pending', unknown: '?' } as const;
const MARK_PAINT = { passed: 'green', failed: 'red', pending: 'yellow', unknown: 'dim' } as const;

interface Page {
  readonly lines: string[];
  readonly options: TextOptions;
}

function paint(page: Page, text: string, colour: Paint): string {
  return page.options.colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/** A labelled paragraph: the label once, the text beside it. */
function paragraph(page: Page, label: string, text: string): void {
  const lines = wrap(text, page.options.columns - LABEL_WIDTH);
  for (const [index, line] of lines.entries()) {
    page.lines.push(`${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
  }
}

/** A command that can be copied whole; long ones go on after a backslash. */
function command(page: Page, text: string): void {
  const lines = wrapCommand(`$ ${text}`, page.options.columns - LABEL_WIDTH - 2);
  for (const line of lines)
    page.lines.push(`${''.padEnd(LABEL_WIDTH)}  ${paint(page, line, 'bold')}`);
}

/** The report that a person reads in a terminal. */
export function renderText(document: DiagnosisDocument, options: TextOptions): string {
  const page: Page = { lines: [], options };
  const [likeliest] = document.headline === null ? document.subjects.flatMap(candidatesOf) : [];
  if (likeliest !== undefined) page.lines.push(`Most likely ${likeliest.cause}; not proven.`, '');
  const ordered = [...document.subjects].toSorted(
    (a, b) => weight(b, document) - weight(a, document),
  );
  for (const subject of ordered.slice(0, SUBJECTS_MAX)) renderSubject(page, subject, document);
  if (ordered.length > SUBJECTS_MAX)
    page.lines.push(`… and ${ordered.length - SUBJECTS_MAX} more; list them: -o json`, '');
  if (ordered.length === 0)
    page.lines.push('CANNOT TELL  No machine is named in this evidence.', '');
  if (document.headline === null && ordered.every(isUnnamed)) renderRecognized(page, document);
  renderLosses(page, document);
  renderPasteBlock(page, document);
  return `${page.lines.join('\n').trimEnd()}\n`;
}

function candidatesOf({ findings }: SubjectReport): readonly Finding[] {
  return findings.filter(({ confidence }) => confidence === 'possible');
}

function weight(subject: SubjectReport, document: DiagnosisDocument): number {
  const isHeadline =
    document.headline !== null &&
    [subject.name, subject.instanceId].includes(document.headline.subject);
  return (
    (isHeadline ? 4 : 0) +
    (subject.verdict === 'not-usable' ? 2 : 0) +
    (subject.findings.length > 0 ? 1 : 0)
  );
}

/** A cluster that nothing names is called `cluster` in the document. */
function isUnnamed({ kind, name }: SubjectReport): boolean {
  return kind === 'Cluster' && name === 'cluster';
}

function titleOf(subject: SubjectReport): string {
  return isUnnamed(subject) ? '(name unknown)' : subject.name;
}

/** What was recognized in evidence that names no machine and no cause. */
function renderRecognized(page: Page, { recognized }: DiagnosisDocument): void {
  if (recognized.length === 0) return;
  const titles = recognized.slice(0, RECOGNIZED_MAX).map((source) => SOURCES[source].title);
  const rest = recognized.length - titles.length;
  const more = rest === 0 ? '' : `, and ${rest} more`;
  paragraph(page, 'recognized', `${titles.join(', ')}${more}. No line of it decides.`);
  page.lines.push('');
}

function renderSubject(page: Page, subject: SubjectReport, document: DiagnosisDocument): void {
  const verdict = paint(page, VERDICTS[subject.verdict], VERDICT_PAINT[subject.verdict]);
  const instance =
    subject.instanceId === null || subject.instanceId === subject.name
      ? ''
      : `  ${subject.instanceId}`;
  page.lines.push(
    `${verdict}  ${subject.kind} ${paint(page, titleOf(subject), 'bold')}${instance}`,
    '',
  );
  if (subject.kind === 'Machine') renderLadder(page, subject.ladder);
  renderRisks(page, subject);
  const roots = subject.findings.filter(
    (finding) => finding.role === 'root' && finding.confidence !== 'possible',
  );
  for (const root of roots) renderRoot(page, root);
  renderRest(page, subject);
  if (roots.length === 0) renderCandidates(page, subject);
  renderTimeline(page, subject);
  if (document.headline !== null || roots.length > 0) renderNotSeen(page, subject);
  if (page.lines.at(-1) !== '') page.lines.push('');
}

/** What ails the cluster and has not reached the machine yet. */
function renderRisks(page: Page, { risks = [] }: SubjectReport): void {
  if (risks.length === 0) return;
  paragraph(page, 'at risk', `from ${risks.join(', ')} of the cluster`);
  page.lines.push('');
}

/** The ladder on as few lines as it needs, each rung with its state in words. */
function renderLadder(page: Page, ladder: readonly Rung[]): void {
  const width = page.options.columns - LABEL_WIDTH - 2;
  const rows: Rung[][] = [[]];
  for (const rung of ladder) {
    const row = rows.at(-1) ?? [];
    const length = [...row, rung].reduce((sum, entry) => sum + plainRung(entry).length + 3, 0);
    if (row.length > 0 && length > width) rows.push([rung]);
    else row.push(rung);
  }
  for (const [index, row] of rows.entries()) {
    const text = row.map((rung) => paintedRung(page, rung)).join(' > ');
    const more = index < rows.length - 1 ? ' >' : '';
    page.lines.push(`${(index === 0 ? 'ladder' : '').padEnd(LABEL_WIDTH)}${text}${more}`);
  }
  page.lines.push('');
}

function plainRung({ stage, state }: Rung): string {
  return `${stage} ${MARKS[state]}`;
}

function paintedRung(page: Page, { stage, state }: Rung): string {
  return `${stage} ${paint(page, MARKS[state], MARK_PAINT[state])}`;
}

function renderRoot(page: Page, finding: Finding): void {
  paragraph(page, 'cause', `${finding.cause} (${finding.stage}, ${finding.confidence})`);
  paragraph(page, '', finding.summary);
  page.lines.push('');
  renderEvidence(page, finding.evidence);
  for (const [index, step] of finding.remedy.entries()) {
    paragraph(page, index === 0 ? 'do' : '', `${index + 1}. ${step.text}`);
    if (step.command !== null) command(page, step.command);
  }
  page.lines.push('');
  renderStep(page, 'reason', finding.decide);
}

function renderEvidence(page: Page, evidence: readonly EvidenceLine[]): void {
  for (const [index, line] of evidence.slice(0, 3).entries()) {
    paragraph(
      page,
      index === 0 ? 'why' : '',
      `${line.locator}${line.time === null ? '' : `  ${line.time}`}`,
    );
    for (const part of wrap(line.excerpt, page.options.columns - LABEL_WIDTH - 2)) {
      page.lines.push(`${''.padEnd(LABEL_WIDTH)}${paint(page, `> ${part}`, 'dim')}`);
    }
  }
  if (evidence.length > 0) page.lines.push('');
}

function renderRest(page: Page, subject: SubjectReport): void {
  const consequences = subject.findings.filter((finding) => finding.role === 'consequence');
  for (const [index, finding] of consequences.entries()) {
    const isShared = finding.explainedBy === finding.cause;
    const text = isShared
      ? `blocked by ${finding.cause}`
      : `${finding.cause}, because of ${finding.explainedBy ?? 'the cause above'}: ${finding.summary}`;
    paragraph(page, index === 0 ? 'also' : '', text);
  }
  const contributing = subject.findings.filter((finding) => finding.role === 'contributing');
  for (const [index, finding] of contributing.entries())
    paragraph(page, index === 0 ? 'beside it' : '', `${finding.cause}: ${finding.summary}`);
  if (consequences.length + contributing.length > 0) page.lines.push('');
}

/** What it most likely is, with the line that speaks for it and what would prove it; then the next. */
function renderCandidates(page: Page, subject: SubjectReport): void {
  const [first, ...rest] = candidatesOf(subject);
  if (first === undefined) return;
  paragraph(page, 'most likely', `${first.cause} (${first.stage}); not proven`);
  paragraph(page, '', first.summary);
  page.lines.push('');
  renderEvidence(page, first.evidence);
  renderStep(page, 'would prove', first.decide);
  const shown = page.options.all === true ? rest : rest.slice(0, CANDIDATES_MAX - 1);
  const before = first.evidence[0]?.excerpt;
  for (const [index, finding] of shown.entries()) {
    paragraph(page, index === 0 ? 'or' : '', finding.cause);
    const [line] = finding.evidence;
    if (line !== undefined && line.excerpt !== before) renderExcerpt(page, line.excerpt);
  }
  if (rest.length > shown.length)
    paragraph(page, '', `and ${rest.length - shown.length} more: --all`);
  page.lines.push('');
}

function renderStep(page: Page, label: string, step: Step | null): void {
  if (step === null) return;
  paragraph(page, label, step.text);
  if (step.command !== null) command(page, step.command);
  page.lines.push('');
}

/** As much of a line as stands on one. */
function renderExcerpt(page: Page, excerpt: string): void {
  const [words = ''] = wrap(excerpt, page.options.columns - LABEL_WIDTH - 2);
  page.lines.push(`${''.padEnd(LABEL_WIDTH)}${paint(page, `> ${words}`, 'dim')}`);
}

/** What happened, when there is enough of it to tell a story. */
function renderTimeline(page: Page, subject: SubjectReport): void {
  if (subject.kind !== 'Machine' || subject.timeline.length < TIMELINE_MIN) return;
  for (const [index, entry] of subject.timeline.entries()) {
    const label = index === 0 ? 'timeline' : '';
    paragraph(
      page,
      label,
      `${entry.time === null ? '' : `${entry.time}  `}${entry.what} (${entry.locator})`,
    );
  }
  page.lines.push('');
}

/** What could not be seen below the stage that failed; above it everything is a consequence. */
function renderNotSeen(page: Page, subject: SubjectReport): void {
  if (subject.kind !== 'Machine') return;
  const failedAt = subject.ladder.findIndex((rung) => rung.state === 'failed');
  const below = new Set(
    subject.ladder.slice(0, failedAt < 0 ? undefined : failedAt).map((rung) => rung.stage),
  );
  const missing = subject.notObservable
    .filter((entry) => below.has(entry.stage))
    .slice(0, NOT_SEEN_MAX);
  for (const [index, entry] of missing.entries()) {
    paragraph(page, index === 0 ? 'not seen' : '', `${entry.stage}: ${entry.why}`);
    command(page, entry.collect);
  }
}

function renderLosses(page: Page, document: DiagnosisDocument): void {
  const sentences = [...new Set(document.losses.map(({ what }) => what))];
  for (const [index, sentence] of sentences.slice(0, 8).entries())
    paragraph(page, index === 0 ? 'left out' : '', sentence);
  if (document.losses.length > 0) page.lines.push('');
}

/** Stands for evidence that was no file: what is read from a pipe is gone afterwards. */
const PIPED = 'EARLIER';

function renderPasteBlock(page: Page, document: DiagnosisDocument): void {
  const most = page.options.all === true ? ALL_COMMANDS_MAX : COMMANDS_MAX;
  const lines = pasteBlock(document, most);
  if (lines.length === 0) return;
  page.lines.push(
    'Not enough evidence. This would decide it; it only reads. Pipe its output back:',
    '',
  );
  for (const line of lines.flatMap((entry) => wrapCommand(entry, page.options.columns - 4))) {
    page.lines.push(`    ${line}`);
  }
  const earlier = page.options.paths.map((path) => ` --with ${path === '-' ? PIPED : path}`);
  page.lines.push('', `    … | rollcall diagnose -${earlier.join('')}`, '');
  const more = decidingCommands(document, ALL_COMMANDS_MAX).length - most;
  if (more > 0) page.lines.push(`${counted(more, 'more command')}: --all`, '');
  if (!page.options.paths.includes('-')) return;
  page.lines.push(`${PIPED} is a file with the piped input: … | tee ${PIPED}`, '');
}
