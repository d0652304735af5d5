import type { Step } from '../../diagnosis/cause.ts';
import type {
  DiagnosisDocument,
  Finding,
  Headline,
  SubjectReport,
} from '../../diagnosis/document.ts';
import {
  collectingCommands,
  type DecidingCommand,
  decidingCommands,
} from '../../diagnosis/report/paste-block.ts';
import { SOURCES } from '../../evidence/source.ts';
import { type Verdict, worstOf } from '../../evidence/verdict.ts';
import { isFilledPlainly, isPlain, plainName } from './plain.ts';
import type { NextStep, ToolAnswer } from './tool.ts';
import { titleOf, type Written, writtenAbout } from './written.ts';

/** The step that was written, its command with values where those are plain. */
function plainStep(filled: Step, written: Step): Step {
  const [command, own] = [filled.command, written.command];
  const isSafe = command !== null && own !== null && isFilledPlainly(command, own);
  return { text: written.text, command: isSafe ? command : own };
}

/** What to do: the steps that were written, as far as they are those that are shown. */
function stepsOf(filled: readonly Step[], written: readonly Step[]): readonly Step[] {
  if (filled.length !== written.length) return written;
  return written.map((step, at) => plainStep(filled[at] ?? step, step));
}

function isSame(some: Step, other: Step | undefined): boolean {
  return some.text === other?.text && some.command === other.command;
}

/** One cause as it is ranked: what the catalogue says, and apart from it what the evidence says. */
function rankedFinding(finding: Finding, at: number, written: Written): object {
  const { cause, stage, role, explainedBy, confidence, summary, evidence } = finding;
  const own = written.get(cause);
  const fix = stepsOf(finding.remedy, own?.remedy ?? []);
  const other = finding.remedy.filter((step, index) => !isSame(step, fix[index]));
  return {
    rank: at + 1,
    cause,
    title: own?.title ?? null,
    stage,
    role,
    confidence,
    explainedBy,
    fix,
    untrusted: { summary, ...(other.length === 0 ? {} : { fix: other }), lines: evidence },
  };
}

function subjectAnswer(subject: SubjectReport, written: Written): object {
  const { kind, name, instanceId, node, verdict, stage, findings, risks } = subject;
  const names = [name, instanceId, node].filter((one) => one !== null);
  return {
    kind,
    name: plainName(name),
    instanceId: plainName(instanceId),
    node: plainName(node),
    verdict,
    stage,
    ladder: Object.fromEntries(subject.ladder.map((rung) => [rung.stage, rung.state])),
    ...(risks === undefined ? {} : { risks }),
    ranking: findings.map((finding, at) => rankedFinding(finding, at, written)),
    untrusted: {
      ...(names.every(isPlain) ? {} : { names }),
      timeline: subject.timeline,
      notSeen: subject.notObservable,
    },
  };
}

const ORDER: Readonly<Record<Verdict, number>> = { 'not-usable': 0, 'cannot-tell': 1, usable: 2 };

function isHeadlineOf({ name, instanceId }: SubjectReport, headline: Headline | null): boolean {
  return headline !== null && [name, instanceId].includes(headline.subject);
}

/** The subject of the headline first, then the worst, those with findings before those without. */
function ordered({ subjects, headline }: DiagnosisDocument): readonly SubjectReport[] {
  const place = (one: SubjectReport): number =>
    (isHeadlineOf(one, headline) ? 0 : 10) +
    ORDER[one.verdict] * 2 +
    (one.findings.length > 0 ? 0 : 1);
  return subjects.toSorted((a, b) => place(a) - place(b));
}

function headlineAnswer({ headline }: DiagnosisDocument): object | null {
  if (headline === null) return null;
  const { cause, stage, confidence, subject } = headline;
  return { cause, title: titleOf(cause), stage, confidence, subject: plainName(subject) };
}

/** What it most likely is, where nothing is proven. */
function mostLikely(
  { headline }: DiagnosisDocument,
  subjects: readonly SubjectReport[],
): object | null {
  const possible = subjects.flatMap(({ findings }) =>
    findings.filter(({ confidence }) => confidence === 'possible'),
  );
  const [first] = possible;
  if (headline !== null || first === undefined) return null;
  return { cause: first.cause, title: titleOf(first.cause), stage: first.stage };
}

/** The first candidate of the first subject that has any: the likeliest. */
function likeliestIn(subjects: readonly SubjectReport[]): Finding | null {
  const possible = subjects.flatMap(({ findings }) =>
    findings.filter(({ confidence, decide }) => confidence === 'possible' && decide !== null),
  );
  return possible[0] ?? null;
}

/** True where every command about these subjects is filled with nothing but plain values. */
function arePlain(subjects: readonly SubjectReport[], written: Written): boolean {
  return subjects.every(
    ({ name, node, instanceId, findings }) =>
      [name, node, instanceId].every((one) => one === null || isPlain(one)) &&
      findings.every(({ cause, decide }) => {
        const [filled, own] = [decide?.command ?? null, written.get(cause)?.decide.command ?? null];
        return filled === null || (own !== null && isFilledPlainly(filled, own));
      }),
  );
}

function commandStep(question: string, deciding: DecidingCommand | undefined): NextStep | null {
  if (deciding === undefined) return null;
  const { where, command } = deciding;
  return { question, where, command, tool: null, arguments: null };
}

/** The one question whose answer decides most; none where the cause is known or all is well. */
function nextOf(
  document: DiagnosisDocument,
  subjects: readonly SubjectReport[],
  written: Written,
): NextStep | null {
  const isWell = subjects.length > 0 && subjects.every(({ verdict }) => verdict === 'usable');
  if (document.headline !== null || isWell) return null;
  const likeliest = likeliestIn(subjects);
  const decide = likeliest === null ? null : (written.get(likeliest.cause)?.decide ?? null);
  const isSafe = arePlain(subjects, written);
  if (decide === null) {
    const question = 'What does this show of the stages that nobody has seen?';
    return commandStep(
      question,
      collectingCommands(isSafe ? document : { ...document, subjects: [] })[0],
    );
  }
  const deciding = isSafe ? decidingCommands(document, 1)[0] : undefined;
  const own = { where: null, command: decide.command, tool: null, arguments: null };
  return commandStep(decide.text, deciding) ?? { question: decide.text, ...own };
}

/** What a model reads of a diagnosis. */
export async function diagnosisToolAnswer(document: DiagnosisDocument): Promise<ToolAnswer> {
  const subjects = ordered(document);
  const written = await writtenAbout(
    subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause)),
  );
  return {
    answer: {
      verdict: worstOf(subjects.map(({ verdict }) => verdict)),
      headline: headlineAnswer(document),
      mostLikely: mostLikely(document, subjects),
      recognized: document.recognized.map((source) => SOURCES[source].title),
      subjects: subjects.map((subject) => subjectAnswer(subject, written)),
    },
    next: nextOf(document, subjects, written),
    untrusted: { losses: document.losses },
  };
}
