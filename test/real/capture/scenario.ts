/** What a capture is: a real program, broken on purpose, and which cause that truly is. */
import type { ExampleFile } from '../../causes/example.ts';
import type { Stage } from './stage.ts';

/** Which verdict of which cause the captured text is evidence of; said before Rollcall is asked. */
export interface Truth {
  readonly cause: string;
  readonly expect: 'found' | 'clear' | 'unknown';
  /** What it is truly, where a `clear` example is another cause. */
  readonly instead?: string;
}

/** What several scenarios look at in turn; made once for those that stand together. */
export interface Situation {
  readonly prepare: (stage: Stage) => Promise<void>;
}

export interface Scenario extends Truth {
  /** `<program>/<what is broken>`; names the example too. */
  readonly id: string;
  /** The program with its version, and what was done to it, as the example's source. */
  readonly source: string;
  /** Programs of `npm run real-parts` that it runs. */
  readonly needs: readonly string[];
  /** Programs of the operating system that it runs. */
  readonly system: readonly string[];
  readonly situation?: Situation;
  readonly run: (stage: Stage) => Promise<readonly ExampleFile[]>;
}

/** The name of the example file that a scenario writes. */
export function exampleName({ id, expect }: Pick<Scenario, 'id' | 'expect'>): string {
  return `${expect}-captured-${id.replaceAll(/[^a-z0-9.]+/g, '-')}.txt`;
}

/** The command that makes the real programs print it again. */
export function captureCommand(id: string): string {
  return `npm run capture -- ${id}`;
}

/** The whole example as `parseExample` takes it apart. */
export function exampleText(scenario: Scenario, files: readonly ExampleFile[]): string {
  const header = [
    `source: ${scenario.source}`,
    ...(scenario.instead === undefined ? [] : [`instead: ${scenario.instead}`]),
    `captured: ${captureCommand(scenario.id)}`,
  ];
  const parts = files.map(({ name, text }) => `-- ${name} --\n${text.trimEnd()}\n`);
  return `${header.join('\n')}\n${parts.join('')}`;
}
