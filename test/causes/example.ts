import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CAUSES = join(import.meta.dirname, '../../src/causes');

export interface ExampleFile {
  readonly name: string;
  readonly text: string;
}

/** One executed example of a cause: a header, then files between `-- name --` lines. */
export interface Example {
  readonly stage: string;
  readonly cause: string;
  readonly name: string;
  readonly expect: 'found' | 'clear' | 'unknown';
  readonly source: string;
  /** The cause that a `clear` example truly is, when its header says `instead: <id>`. */
  readonly instead: string | null;
  /** The command that made real programs print it, when its header says `captured: <command>`. */
  readonly captured: string | null;
  /** Program and version from whose source its deciding words were taken, when its header says
   * `wording: <program> <version>`; the signs of the cause were made from another version. */
  readonly wording: string | null;
  readonly files: readonly ExampleFile[];
}

type ParsedExample = Pick<Example, 'source' | 'instead' | 'captured' | 'wording' | 'files'>;

/** Splits an example's text into its header and files. */
export function parseExample(text: string): ParsedExample {
  const parts = text.split(/^-- (\S+) --$/m);
  const files: ExampleFile[] = [];
  for (let index = 1; index < parts.length; index += 2) {
    files.push({ name: parts[index] ?? '', text: (parts[index + 1] ?? '').replace(/^\n/, '') });
  }
  const header = parts[0] ?? '';
  return {
    source: /^source: (.+)$/m.exec(header)?.[1] ?? '',
    instead: /^instead: (\S+)$/m.exec(header)?.[1] ?? null,
    captured: /^captured: (.+)$/m.exec(header)?.[1] ?? null,
    wording: /^wording: (.+)$/m.exec(header)?.[1] ?? null,
    files,
  };
}

/** Examples of all causes, or of those whose id is in `only`. */
export function loadExamples(only: readonly string[] = []): readonly Example[] {
  return readdirSync(CAUSES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((stage) =>
      readdirSync(join(CAUSES, stage.name)).map((cause) => ({ stage: stage.name, cause })),
    )
    .filter(({ cause }) => only.length === 0 || only.includes(cause))
    .flatMap(({ stage, cause }) => examplesOf(stage, cause));
}

function examplesOf(stage: string, cause: string): readonly Example[] {
  const folder = join(CAUSES, stage, cause, 'examples');
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const expect = name.split('-')[0] as Example['expect'];
      return {
        stage,
        cause,
        name,
        expect,
        ...parseExample(readFileSync(join(folder, name), 'utf8')),
      };
    });
}
