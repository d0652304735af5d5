import type { OnRequest } from '../../../collection/on-request.ts';
import { isAsked } from '../../../diagnosis/asked.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { leftOutLine } from '../../../diagnosis/report/left-out.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { type CliContext, UsageError } from '../context.ts';
import { paragraph } from '../pages/layout.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import { readGiven } from '../given-files.ts';
import { DIAGNOSE } from '../declared/diagnose.ts';
import type { BundleContents } from '../live/bundle.ts';
import { contextsOf, flagsOfSeveral, type LiveFlags } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { pathsAndNames } from '../options/words.ts';
import { diagnoseObservations } from '../../../engine/diagnose.ts';
import { jsonTexts, structured } from '../structured.ts';

type Values = ParsedOptions<typeof DIAGNOSE.options>;
type Output = Values['output'];

/** What is asked of files or of a live cluster. */
export interface DiagnoseArguments {
  readonly paths: readonly string[];
  /** Nodes, instances, addresses or NodeClaims of a live cluster. */
  readonly names: readonly string[];
  readonly output: Output;
  readonly live: LiveFlags;
  readonly contexts: readonly string[];
  readonly sinceMs: number | null;
  /** True to look again until the machine is usable or its next cause is known. */
  readonly waits: boolean;
  /** True to show every candidate. */
  readonly isAll: boolean;
  readonly isDeep: boolean;
  /** What is asked only where a flag says so. */
  readonly onRequest: ReadonlySet<OnRequest>;
  /** True to look at the machine on which the program runs. */
  readonly isHost: boolean;
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
  /** A recording whose evidence is judged, null for none. */
  readonly record: string | null;
  /** The moment of it; null for its last. */
  readonly at: string | null;
  /** True to put other names, ids and addresses in the place of those that were seen. */
  readonly isAnonymous: boolean;
}

const ON_REQUEST: readonly OnRequest[] = ['node-logs', 'ssm', 'control-plane-logs'];

function readArguments(args: readonly string[], context: CliContext): DiagnoseArguments {
  const { values, words } = parseCommandLine(DIAGNOSE, args);
  const { output, all, host, save, anonymize, deep, since, wait } = values;
  const { paths: given, names } = pathsAndNames(words);
  const paths = [...given, ...values.with];
  const contexts = contextsOf(values);
  mustAgree(values, { paths, names, contexts });
  const isElsewhere = host || values.record !== null;
  const isText = paths.length + names.length === 0 && context.isInputPiped && !isElsewhere;
  return {
    paths: isText ? ['-'] : paths,
    names,
    output,
    live: flagsOfSeveral(values),
    contexts,
    isAll: all,
    isDeep: deep,
    onRequest: new Set(ON_REQUEST.filter((name) => values[name])),
    isHost: host,
    save,
    record: values.record,
    at: values.at,
    isAnonymous: anonymize,
    sinceMs: since,
    waits: wait,
  };
}

/** Throws `UsageError` where one thing that was asked excludes another. */
function mustAgree(
  { host, save, anonymize, wait, record, at }: Values,
  { paths, names, contexts }: Pick<DiagnoseArguments, 'paths' | 'names' | 'contexts'>,
): void {
  if (paths.length > 0 && names.length > 0)
    throw new UsageError(
      `no such file: ${quoted(names[0] ?? '')}; diagnose files and machines of a live cluster in two commands`,
    );
  if (host && paths.length + names.length > 0)
    throw new UsageError('--host diagnoses this machine; it takes no names or files');
  if (at !== null && record === null)
    throw new UsageError('--at needs a recording: rollcall diagnose --at TIME --record flight.db');
  if (record !== null && (host || wait || paths.length > 0))
    throw new UsageError('--record takes no files, --host or --wait');
  if (anonymize && wait)
    throw new UsageError('--wait prints names as things change; use it without --anonymize');
  if (save !== null && contexts.length > 1)
    throw new UsageError('--save writes the evidence of one cluster; use one --context with it');
}

/** What is to be printed, and how sure it is. */
export interface DiagnoseAnswer {
  readonly document: DiagnosisDocument;
  /** Machines that were asked about. */
  readonly names: readonly string[];
  /** What was seen, to tell which of the names no machine has; none where that does not matter. */
  readonly looks: readonly Observations[];
  /** What was seen, whose names are hidden when they are to be. */
  readonly seen: readonly Observations[];
  /** True when the time for waiting was over. */
  readonly isLate: boolean;
  /** True when one of several clusters did not answer. */
  readonly isPartial: boolean;
  /** What a flag would read besides, for the page that people read. */
  readonly hints: readonly string[];
}

/** Diagnoses a live cluster or machines of it; files, folders, archives and pasted text. */
export async function diagnoseCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const given = readArguments(args, context);
  const answer = await diagnoseAnswer(given, context);
  const { isLate, isPartial } = answer;
  const document = given.isAnonymous ? await hidden(answer) : answer.document;
  const unknown = await unknownIn(answer);
  const lines = [...(unknown?.lines ?? []), ...leftOutOf(given, document)];
  for (const line of lines) context.err(`${line}\n`);
  const isNone = answer.names.length > 0 && document.subjects.length === 0;
  const losses = [...(unknown?.losses ?? []), ...document.losses];
  if (given.output !== 'text') await print({ ...document, losses }, given, context);
  // A page of nothing would hide the sentence that says what there is not.
  else if (!isNone) {
    await print(document, given, context);
    for (const hint of answer.hints) context.out(`\n${paragraph(hint).join('\n')}\n`);
  }
  if (isNone && unknown?.isSure === true) return EXIT.usage;
  const code = isLate ? EXIT.cannotTell : exitCodeOf(document);
  const isOpen = isPartial || unknown !== null;
  return code === EXIT.usable && isOpen ? EXIT.cannotTell : code;
}

/** The document with other names, ids and addresses. */
async function hidden({ document, seen }: DiagnoseAnswer): Promise<DiagnosisDocument> {
  return (await import('../../../engine/anonymous.ts')).anonymizerFor(seen).value(document);
}

/** What saved evidence lacks, where no page tells it. */
function leftOutOf(
  { save, output }: DiagnoseArguments,
  { losses }: DiagnosisDocument,
): readonly string[] {
  if (save === null || output === 'text') return [];
  const line = leftOutLine(losses, `rollcall diagnose ${save}`);
  return line === null ? [] : [line];
}

export interface UnknownNames {
  readonly lines: readonly string[];
  readonly losses: DiagnosisDocument['losses'];
  /** False where a source that did not answer may know them. */
  readonly isSure: boolean;
}

/** True where the name itself heads a machine's report, which is known without another look. */
function isTold(asked: string, { subjects }: DiagnosisDocument): boolean {
  return subjects.some(({ name, instanceId }) => name === asked || instanceId === asked);
}

/** What there is to say of names that no machine has, null where all are some machine's. */
export async function unknownIn({
  document,
  names: asked,
  looks,
}: DiagnoseAnswer): Promise<UnknownNames | null> {
  const names = asked.filter((name) => !isTold(name, document));
  if (names.length === 0 || looks.length === 0) return null;
  const { reasonsUnseen, unknownNames } = await import('../../../diagnosis/unknown-names.ts');
  const unknown = unknownNames(names, looks);
  if (unknown.length === 0) return null;
  const reasons = reasonsUnseen(looks);
  return {
    lines: [...unknown.map(({ sentence }) => sentence), ...reasons],
    losses: unknown.map(({ name, sentence }) => ({
      locator: excerptOf(name),
      what: sentence,
    })),
    isSure: reasons.length === 0,
  };
}

/** Diagnoses files or a live cluster without printing. */
export async function diagnoseAnswer(
  given: DiagnoseArguments,
  context: CliContext,
): Promise<DiagnoseAnswer> {
  return given.paths.length > 0 ? diagnosePaths(given, context) : diagnoseLive(given, context);
}

async function diagnosePaths(
  { paths }: DiagnoseArguments,
  context: CliContext,
): Promise<DiagnoseAnswer> {
  const observations = await readGiven(paths, context);
  // What is given besides saved evidence may be of another machine: then all are shown.
  const names = paths.length === 1 ? (observations.collection?.asked ?? []) : [];
  const document = await diagnoseObservations(observations, isAsked(names));
  const looks = [observations];
  return { document, names, looks, seen: looks, isLate: false, isPartial: false, hints: [] };
}

async function diagnoseLive(
  given: DiagnoseArguments,
  context: CliContext,
): Promise<DiagnoseAnswer> {
  const { names, live, contexts, isDeep, isHost, sinceMs, waits, save, isAnonymous } = given;
  const { onRequest, record } = given;
  const whole = { names, looks: [], seen: [], isLate: false, isPartial: false, hints: [] };
  if (isHost) {
    const { diagnoseHost } = await import('../live/diagnose-host.ts');
    const { document, observations, saved } = await diagnoseHost(save, isAnonymous);
    if (save !== null && saved !== null) await tellSaved(save, saved, { context, isAnonymous });
    return { ...whole, document, seen: [observations] };
  }
  if (record !== null) return { ...whole, ...(await diagnoseRecorded(given, record, context)) };
  const question = { names, flags: live, isDeep, onRequest, sinceMs, save, isAnonymous };
  if (waits) {
    const { waitForCluster } = await import('../live/wait-live.ts');
    return { ...whole, ...(await waitForCluster(question, contexts, context)) };
  }
  const { logHints } = await import('../live/log-hint.ts');
  const { diagnoseCluster } = await import('../live/diagnose-cluster.ts');
  const { document, seen, isPartial } = await diagnoseCluster(question, contexts, context);
  const looks = seen.map(({ observations }) => observations);
  const hints = logHints(seen, onRequest);
  return { ...whole, document, isPartial, looks, seen: looks, hints };
}

async function diagnoseRecorded(
  { names, live, at, save, isAnonymous }: DiagnoseArguments,
  record: string,
  context: CliContext,
): Promise<Pick<DiagnoseAnswer, 'document' | 'looks' | 'seen'>> {
  const { diagnoseRecord } = await import('../live/diagnose-record.ts');
  const question = { record, at, cluster: live.cluster ?? null, names, save, isAnonymous };
  const { document, observations, saved } = await diagnoseRecord(question, context);
  if (save !== null && saved !== null) await tellSaved(save, saved, { context, isAnonymous });
  return { document, looks: [observations], seen: [observations] };
}

async function tellSaved(
  path: string,
  contents: BundleContents,
  { context, isAnonymous }: { readonly context: CliContext; readonly isAnonymous: boolean },
): Promise<void> {
  const { savedSentences } = await import('../live/saved-words.ts');
  for (const line of savedSentences(path, contents, isAnonymous)) context.err(`${line}\n`);
}

async function print(
  document: DiagnosisDocument,
  { output, paths, isAll }: Pick<DiagnoseArguments, 'output' | 'paths' | 'isAll'>,
  context: CliContext,
): Promise<void> {
  switch (output) {
    case 'json':
      for (const text of jsonTexts(document)) context.out(text);
      return;
    case 'yaml':
      context.out(await structured(document, output));
      return;
    case 'markdown': {
      const { renderMarkdown } = await import('../../../diagnosis/report/markdown.ts');
      context.out(renderMarkdown(document));
      return;
    }
    case 'text': {
      const { renderText } = await import('../../../diagnosis/report/text.ts');
      const { columns, colour } = context;
      context.out(renderText(document, { columns, colour, paths, all: isAll }));
    }
  }
}
