import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { isAsked } from '../../../diagnosis/asked.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import { leftOutLine } from '../../../diagnosis/report/left-out.ts';
import type { Observations } from '../../../evidence/observations.ts';
import { excerptOf } from '../../../evidence/redact.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import { readGiven } from '../given-files.ts';
import {
  contextsOf,
  durationMs,
  flagsOfSeveral,
  LIVE_OPTIONS,
  type LiveFlags,
} from '../live/flags.ts';
import { diagnoseObservations } from '../pile.ts';
import { jsonTexts, structured } from '../structured.ts';

const OUTPUTS = ['text', 'json', 'yaml', 'markdown'] as const;
type Output = (typeof OUTPUTS)[number];

interface DiagnoseArguments {
  readonly paths: readonly string[];
  /** Nodes, instances, addresses or NodeClaims of a live cluster. */
  readonly names: readonly string[];
  readonly output: Output;
  readonly live: LiveFlags;
  readonly contexts: readonly string[];
  readonly sinceMs: number | null;
  /** True to look again until the machine is usable or its next cause is known. */
  readonly waits: boolean;
  readonly isDeep: boolean;
  /** True to look at the machine on which the program runs. */
  readonly isHost: boolean;
  /** The file into which the evidence is written, null for none. */
  readonly save: string | null;
}

const FLAGS = {
  output: { type: 'string', short: 'o', default: 'text' },
  with: { type: 'string', multiple: true, default: [] as string[] },
  save: { type: 'string' },
  deep: { type: 'boolean', default: false },
  host: { type: 'boolean', default: false },
  since: { type: 'string' },
  wait: { type: 'boolean', default: false },
  ...LIVE_OPTIONS,
} satisfies ParseArgsOptionsConfig;

/** A path contains a slash or is there, or is `-`; anything else is a name. */
function isPath(word: string): boolean {
  return word === '-' || word.includes('/') || existsSync(word);
}

function readArguments(args: readonly string[], context: CliContext): DiagnoseArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: FLAGS,
  });
  const output = OUTPUTS.find((name) => name === values.output);
  if (output === undefined)
    throw new UsageError(`-o takes ${OUTPUTS.join(', ')}; "${values.output}" is none of them.`);
  const paths = [...positionals.filter(isPath), ...values.with];
  const names = positionals.filter((word) => !isPath(word));
  if (paths.length > 0 && names.length > 0)
    throw new UsageError(
      `"${names[0] ?? ''}" is no file here; ask for machines of a live cluster and for files in two commands.`,
    );
  const isText = paths.length === 0 && names.length === 0 && context.isInputPiped && !values.host;
  const { deep, host, save = null } = values;
  if (host && paths.length + names.length > 0)
    throw new UsageError('--host looks at this machine and takes no names or files.');
  const live = { live: flagsOfSeveral(values), contexts: contextsOf(values) };
  if (save !== null && live.contexts.length > 1)
    throw new UsageError('--save keeps the evidence of one cluster: name one --context with it.');
  return {
    paths: isText ? ['-'] : paths,
    names,
    output,
    ...live,
    isDeep: deep,
    isHost: host,
    save,
    ...whenOf(values),
  };
}

function whenOf({
  since,
  wait,
}: {
  readonly since?: string | undefined;
  readonly wait: boolean;
}): Pick<DiagnoseArguments, 'sinceMs' | 'waits'> {
  const sinceMs = since === undefined ? null : durationMs(since);
  if (since !== undefined && sinceMs === null)
    throw new UsageError(`--since takes a duration such as 15m, 2h or 1d; "${since}" is none.`);
  return { sinceMs, waits: wait };
}

/** What is to be printed, and how sure it is. */
interface Answer {
  readonly document: DiagnosisDocument;
  /** Machines that were asked about. */
  readonly names: readonly string[];
  /** What was seen, to tell which of the names no machine has; none where that does not matter. */
  readonly looks: readonly Observations[];
  /** True when the time for waiting was over. */
  readonly isLate: boolean;
  /** True when one of several clusters did not answer. */
  readonly isPartial: boolean;
}

/** Diagnoses a live cluster or machines of it; files, folders, archives and pasted text. */
export async function diagnoseCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const given = readArguments(args, context);
  const answer =
    given.paths.length > 0
      ? await diagnosePaths(given, context)
      : await diagnoseLive(given, context);
  const { document, isLate, isPartial } = answer;
  const unknown = await unknownIn(answer);
  const lines = [...(unknown?.lines ?? []), ...leftOutOf(given, document)];
  for (const line of lines) context.err(`${line}\n`);
  const isNone = answer.names.length > 0 && document.subjects.length === 0;
  const losses = [...(unknown?.losses ?? []), ...document.losses];
  if (given.output !== 'text')
    await print({ ...document, losses }, given.output, given.paths, context);
  // A page of nothing would hide the sentence that says what there is not.
  else if (!isNone) await print(document, given.output, given.paths, context);
  if (isNone && unknown?.isSure === true) return EXIT.usage;
  const code = isLate ? EXIT.cannotTell : exitCodeOf(document);
  const isOpen = isPartial || unknown !== null;
  return code === EXIT.usable && isOpen ? EXIT.cannotTell : code;
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

interface UnknownNames {
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
async function unknownIn({ document, names: asked, looks }: Answer): Promise<UnknownNames | null> {
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

async function diagnosePaths({ paths }: DiagnoseArguments, context: CliContext): Promise<Answer> {
  const observations = await readGiven(paths, context);
  // What is given besides saved evidence may be of another machine: then all are shown.
  const names = paths.length === 1 ? (observations.collection?.asked ?? []) : [];
  const document = await diagnoseObservations(observations, isAsked(names));
  return { document, names, looks: [observations], isLate: false, isPartial: false };
}

async function diagnoseLive(
  { names, live, contexts, isDeep, isHost, sinceMs, waits, save }: DiagnoseArguments,
  context: CliContext,
): Promise<Answer> {
  const whole = { names, looks: [], isLate: false, isPartial: false };
  if (isHost) {
    const { diagnoseHost } = await import('../live/diagnose-host.ts');
    return { ...whole, document: await diagnoseHost(save) };
  }
  const question = { names, flags: live, isDeep, sinceMs, save };
  if (waits) {
    const { waitForCluster } = await import('../live/wait-live.ts');
    return { ...whole, ...(await waitForCluster(question, contexts, context)) };
  }
  const { diagnoseCluster } = await import('../live/diagnose-cluster.ts');
  const { document, seen, isPartial } = await diagnoseCluster(question, contexts, context);
  return { ...whole, document, isPartial, looks: seen.map(({ observations }) => observations) };
}

async function print(
  document: DiagnosisDocument,
  output: Output,
  paths: readonly string[],
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
      context.out(
        renderText(document, { columns: context.columns, colour: context.colour, paths }),
      );
    }
  }
}
