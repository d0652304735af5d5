/** Puts every mutant of a room into its sources, each behind a switch. */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export interface Mutant {
  readonly id: string;
  /** From the root. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly kind: string;
  readonly original: string;
  readonly replacement: string;
}

export interface Instrumented {
  /** JavaScript by the file's path from the root. */
  readonly sources: Readonly<Record<string, string>>;
  readonly mutants: readonly Mutant[];
  /** Mutants of prose, which are left alone. */
  readonly wordings: number;
}

const SILENT = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => false,
  isErrorEnabled: () => false,
  isFatalEnabled: () => false,
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
};

export async function instrument(root: string, paths: readonly string[]): Promise<Instrumented> {
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const files = [...texts].map(([name, content]) => ({ name, content, mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const { files: results, mutants } = await new Instrumenter(SILENT).instrument(files, options);
  const all = mutants.map(({ id, fileName, mutatorName, location, replacement }): Mutant => {
    const original = textBetween(texts.get(fileName) ?? '', location);
    const line = location.start.line + 1;
    return { id, file: fileName, line, kind: mutatorName, original, replacement };
  });
  const logic = all.filter((mutant) => !isWording(mutant));
  return {
    sources: Object.fromEntries(
      results.map((one) => [one.name, stripTypeScriptTypes(one.content)]),
    ),
    mutants: logic,
    wordings: all.length - logic.length,
  };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

function textBetween(text: string, { start, end }: { start: Place; end: Place }): string {
  const lines = text.split('\n').slice(start.line, end.line + 1);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? '').slice(0, end.column);
  lines[0] = (lines[0] ?? '').slice(start.column);
  return lines.join('\n');
}

/** Text for people has blanks; keys, kinds and reasons that code compares have none. */
function isWording({ kind, original }: Mutant): boolean {
  return kind === 'StringLiteral' && /\s/.test(original);
}
