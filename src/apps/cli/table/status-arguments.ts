import type { ExpectedMachine } from '../../../diagnosis/roll-call/machines.ts';
import { redact } from '../../../evidence/redact.ts';
import { UsageError } from '../context.ts';
import { ExpectedHostsError, parseExpectedHosts } from './expected-hosts.ts';
import { parseTemplate } from './json-path-parse.ts';
import { JsonPathError } from './json-path-tree.ts';
import { STATUS, STATUS_FORMATS } from '../declared/status.ts';
import { type LiveFlags, liveFlagsOf } from '../live/flags.ts';
import { queueTrouble } from '../live/open-queue.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { unknownWord } from '../options/values.ts';
import { pathsAndNames } from '../options/words.ts';
import { type OutputFormat, parseOutput } from './output-format.ts';
import { mustBeOfDocument, mustBeOfRow } from './row-fields.ts';
import { readSmallFile } from './small-file.ts';
import { mustBeSortable } from './sort-by.ts';
import { parseSelector, SelectorError } from './selector.ts';

export interface StatusArguments {
  /** Files, folders, archives and `-`; none for the live cluster. */
  readonly paths: readonly string[];
  /** Machines to show, by name, node or instance id; all when there are none. */
  readonly names: readonly string[];
  readonly output: OutputFormat;
  readonly selects: ((labels: Readonly<Record<string, string>>) => boolean) | null;
  readonly sortBy: string | null;
  readonly failed: boolean;
  readonly headers: boolean;
  readonly watch: boolean;
  /** True to show what happened to whom last. */
  readonly events: boolean;
  /** The recording that a watch appends to, and from which times are taken; null for none. */
  readonly record: string | null;
  /** URL of the queue from which a watch hears of machines; null for none. */
  readonly awsEvents: string | null;
  readonly live: LiveFlags;
  readonly expected: readonly ExpectedMachine[];
}

/**
 * Mistakes in what the parsers were given are mistakes on the command line. They quote pieces of
 * the text, which tell no longer whether they are secret; so none are shown of a text that holds one.
 */
function asUsage<T>(option: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isOurs = [JsonPathError, SelectorError, ExpectedHostsError].some(
      (kind) => error instanceof kind,
    );
    if (!isOurs || !(error instanceof Error)) throw error;
    if (redact(text) === text) throw new UsageError(error.message);
    throw new UsageError(`${option} cannot be read: ${quoted(text)}; see: rollcall help status`);
  }
}

function outputOf(text: string): OutputFormat {
  const asOutput = <T>(read: () => T): T => asUsage('-o', text, read);
  const output = asOutput(() => parseOutput(text, readSmallFile));
  if (output === null) throw unknownWord('format', text, STATUS_FORMATS);
  if (output.kind === 'jsonpath') asOutput(() => mustBeOfDocument(parseTemplate(output.template)));
  if (output.kind === 'custom-columns')
    for (const { path } of output.columns) asOutput(() => mustBeOfRow(path, '-o custom-columns'));
  return output;
}

/** Chooses machines by labels. Throws `UsageError`. */
export function selectorOf(text: string): NonNullable<StatusArguments['selects']> {
  return asUsage('-l', text, () => parseSelector(text));
}

function queueOf(url: string | null, isWatch: boolean): string | null {
  if (url === null) return null;
  if (!isWatch) throw new UsageError('--aws-events is for a watch; add --watch');
  const trouble = queueTrouble(url, 'watch');
  if (trouble !== null) throw new UsageError(`--aws-events ${quoted(url)} ${trouble}`);
  return url;
}

/**
 * Reads the words behind `rollcall status`; files that options name are read here.
 *
 * @throws UsageError with the sentence to print
 */
export function readStatusArguments(args: readonly string[]): StatusArguments {
  const { values, words } = parseCommandLine(STATUS, args);
  const { selector, expect, 'sort-by': sortBy } = values;
  if (sortBy !== null) asUsage('--sort-by', sortBy, () => mustBeSortable(sortBy));
  const { paths, names } = pathsAndNames(words);
  if (values.watch && paths.length > 0)
    throw new UsageError('--watch needs a live cluster; files do not change');
  const output = outputOf(values.output);
  const isTable = output.kind === 'table' || output.kind === 'wide';
  if (values.events && !isTable)
    throw new UsageError('--events is a table; for programs: rollcall timeline --all -o json');
  if (values.record !== null && !values.watch && !isTable)
    throw new UsageError('--record without --watch adds columns to a table; use -o wide');
  return {
    paths,
    names,
    awsEvents: queueOf(values['aws-events'], values.watch),
    output,
    selects: selector === null ? null : selectorOf(selector),
    sortBy,
    failed: values.failed,
    headers: !values['no-headers'],
    watch: values.watch,
    events: values.events,
    record: values.record,
    live: liveFlagsOf(values),
    expected:
      expect === null
        ? []
        : asUsage('--expect', expect, () => parseExpectedHosts(readSmallFile(expect))),
  };
}
