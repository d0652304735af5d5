import type { Candidate, CompletionAsk } from './ask.ts';

/** Bits of the last line of an answer, as programs made with cobra and kubectl's plugins print it. */
const DIRECTIVE = { none: 0, noSpace: 2, noFiles: 4, onlyFolders: 16 } as const;

/** More than this, nobody reads. */
const CANDIDATES_MAX = 5000;
const HELP_CHARS_MAX = 100;

// A name of somebody else's could hold what a terminal obeys.
const UNFIT = /[\u0000-\u001F\u007F]/;

function lineOf({ value, help }: Candidate): string {
  const text = help.replaceAll(/\s+/g, ' ').slice(0, HELP_CHARS_MAX);
  return text === '' ? value : `${value}\t${text}`;
}

function directiveOf({ lookups }: CompletionAsk, found: readonly Candidate[]): number {
  if (lookups.includes('folder')) return DIRECTIVE.onlyFolders;
  const isOpen = found.length > 0 && found.every(({ value }) => value.endsWith('='));
  const files = lookups.includes('file') ? DIRECTIVE.none : DIRECTIVE.noFiles;
  return files | (isOpen ? DIRECTIVE.noSpace : 0);
}

/** What stands before the part that is completed, as in `status,de`. */
function keptPart(current: string, prefix: string): string {
  const value = current.startsWith('-') ? current.slice(current.indexOf('=') + 1) : current;
  return value.endsWith(prefix) ? value.slice(0, value.length - prefix.length) : '';
}

/**
 * The lines for the shell: a candidate a line with its help behind a tab, then the directive.
 *
 * @param current the word under the cursor
 */
export function completionAnswer(
  asked: CompletionAsk,
  current: string,
  candidates: readonly Candidate[],
): string {
  const kept = keptPart(current, asked.prefix);
  const found = candidates
    .filter(({ value }) => value.startsWith(asked.prefix) && value !== '' && !UNFIT.test(value))
    .slice(0, CANDIDATES_MAX)
    .map((one) => ({ ...one, value: kept + one.value }));
  return [...found.map(lineOf), `:${directiveOf(asked, found)}`, ''].join('\n');
}
