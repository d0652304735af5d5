import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { openEvidence } from '../../../adapters/bundle/open.ts';
import type { DiagnosisDocument } from '../../../diagnosis/document.ts';
import type { InputLoss } from '../../../evidence/observations.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT, exitCodeOf } from '../exit-code.ts';
import {
  contextsOf,
  durationMs,
  LIVE_OPTIONS,
  type LiveFlags,
  liveFlagsOf,
} from '../live/flags.ts';
import type { Waited } from '../live/wait.ts';
import { diagnoseObservations, isAsked, readPile } from '../pile.ts';

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
  const live = { live: liveFlagsOf(values), contexts: contextsOf(values) };
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

/** Diagnoses a live cluster or machines of it; files, folders, archives and pasted text. */
export async function diagnoseCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const given = readArguments(args, context);
  const { document, isLate } =
    given.paths.length > 0
      ? inTime(await diagnosePaths(given, context))
      : await diagnoseLive(given, context);
  await print(document, given.output, given.paths, context);
  return isLate ? EXIT.cannotTell : exitCodeOf(document);
}

async function diagnosePaths(
  { paths }: DiagnoseArguments,
  context: CliContext,
): Promise<DiagnosisDocument> {
  const losses: InputLoss[] = [];
  const documents = openEvidence(
    paths,
    (loss) => losses.push(loss),
    undefined,
    paths.includes('-') ? context.stdin() : undefined,
  );
  const observations = await readPile(documents, losses);
  // What is given besides saved evidence may be of another machine: then all are shown.
  const asked = paths.length === 1 ? (observations.collection?.asked ?? []) : [];
  return diagnoseObservations(observations, isAsked(asked));
}

function inTime(document: DiagnosisDocument): Waited {
  return { document, isLate: false };
}

async function diagnoseLive(
  { names, live, contexts, isDeep, isHost, sinceMs, waits, save }: DiagnoseArguments,
  context: CliContext,
): Promise<Waited> {
  if (isHost) return inTime(await (await import('../live/diagnose-host.ts')).diagnoseHost(save));
  const { diagnoseCluster } = await import('../live/diagnose-cluster.ts');
  const question = { names, flags: live, isDeep, sinceMs, save };
  if (!waits) return inTime(await diagnoseCluster(question, contexts, context));
  return (await import('../live/wait-live.ts')).waitForCluster(question, contexts, context);
}

async function print(
  document: DiagnosisDocument,
  output: Output,
  paths: readonly string[],
  context: CliContext,
): Promise<void> {
  switch (output) {
    case 'json':
      context.out(`${JSON.stringify(document, null, 2)}\n`);
      return;
    case 'yaml': {
      const { dump } = await import('js-yaml');
      context.out(dump(document, { lineWidth: 100 }));
      return;
    }
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
