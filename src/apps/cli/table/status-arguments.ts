import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ExpectedMachine } from '../../../diagnosis/roll-call/machines.ts';
import { UsageError } from '../context.ts';
import { ExpectedHostsError, parseExpectedHosts } from './expected-hosts.ts';
import { parseTemplate } from './json-path-parse.ts';
import { JsonPathError } from './json-path-tree.ts';
import { LIVE_OPTIONS, type LiveFlags, liveFlagsOf } from '../live/flags.ts';
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
  readonly live: LiveFlags;
  readonly expected: readonly ExpectedMachine[];
}

const OPTIONS = {
  output: { type: 'string', short: 'o', default: 'table' },
  selector: { type: 'string', short: 'l' },
  'sort-by': { type: 'string' },
  failed: { type: 'boolean', default: false },
  'no-headers': { type: 'boolean', default: false },
  watch: { type: 'boolean', short: 'w', default: false },
  expect: { type: 'string' },
  ...LIVE_OPTIONS,
} as const;

const FORMATS =
  'table, wide, json, yaml, name, custom-columns=, custom-columns-file=, jsonpath= and jsonpath-file=';

/** Mistakes in what the parsers were given are mistakes on the command line. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const isOurs = [JsonPathError, SelectorError, ExpectedHostsError].some(
      (kind) => error instanceof kind,
    );
    if (!isOurs || !(error instanceof Error)) throw error;
    throw new UsageError(error.message);
  }
}

function outputOf(text: string): OutputFormat {
  const output = asUsage(() => parseOutput(text, readSmallFile));
  if (output === null)
    throw new UsageError(`-o takes ${FORMATS}; ${JSON.stringify(text)} is none of them.`);
  if (output.kind === 'jsonpath') asUsage(() => mustBeOfDocument(parseTemplate(output.template)));
  if (output.kind === 'custom-columns')
    for (const { path } of output.columns) asUsage(() => mustBeOfRow(path, '-o custom-columns'));
  return output;
}

function isPath(text: string): boolean {
  return text === '-' || text.includes('/') || existsSync(text);
}

/** kubectl's users write `-l=key=value` and `-o=json` too. */
function bare(text: string): string {
  return text.replace(/^=/, '');
}

/**
 * Reads the words behind `rollcall status`; files that options name are read here.
 *
 * @throws UsageError with the sentence to print
 */
export function readStatusArguments(args: readonly string[]): StatusArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const { selector, expect } = values;
  const sortBy = values['sort-by'] ?? null;
  if (sortBy !== null) asUsage(() => mustBeSortable(sortBy));
  const paths = positionals.filter(isPath);
  if (values.watch && paths.length > 0)
    throw new UsageError('--watch looks at a live cluster; files do not change: leave it out.');
  return {
    paths,
    names: positionals.filter((text) => !isPath(text)),
    output: outputOf(values.output),
    selects: selector === undefined ? null : asUsage(() => parseSelector(bare(selector))),
    sortBy,
    failed: values.failed,
    headers: !values['no-headers'],
    watch: values.watch,
    live: liveFlagsOf(values),
    expected:
      expect === undefined ? [] : asUsage(() => parseExpectedHosts(readSmallFile(bare(expect)))),
  };
}
