/** Which sources a run mutates, and which tests it gives them. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

/** What commands print of evidence, asked in this process. */
const ANSWERS: readonly string[] = [
  'anonymous',
  'bundle',
  'first-rows',
  'identity-calls',
  'launch-calls',
  'name',
  'name-before-launch',
  'naming-calls',
  'representatives',
  'saved-asked',
  'state-times',
  'status',
  'status-formats',
  'watching',
].map((name) => `test/cli/${name}.test.ts`);

/** What is asked of objects and lines is asked for causes, so their tests tell. */
const OF_EVIDENCE: readonly string[] = [
  'src/diagnosis',
  'src/readers',
  'test/engine',
  'test/diagnosis',
  'test/roll-call',
  'test/capacity',
  'test/accuracy/answers.test.ts',
  'test/causes/examples.test.ts',
  'test/hostile/lines',
  'test/hostile/redaction-lines.test.ts',
  'test/hostile/secrets-in-shapes.test.ts',
];

/**
 * Tests beside the sources, and those under `test/` that ask the room for what it is there for.
 * Tests that start programs stay out: a mutant is switched on in one process only.
 */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  evidence: OF_EVIDENCE,
  domain: ['src/evidence', ...OF_EVIDENCE],
  diagnosis: [
    'src/domain',
    'src/evidence',
    'test/engine',
    'test/diagnosis',
    'test/roll-call',
    ...ANSWERS,
    'test/accuracy/answers.test.ts',
    'test/causes/examples.test.ts',
  ],
  readers: [
    'src/adapters/scanning',
    'src/diagnosis',
    'test/readers',
    'test/engine',
    'test/capacity',
    'test/hostile/input.test.ts',
    ...ANSWERS,
    'test/roll-call',
    'test/accuracy/answers.test.ts',
    'test/causes/examples.test.ts',
    'test/hostile/lines',
    'test/hostile/redaction-lines.test.ts',
  ],
  ports: ['test/ports'],
  adapters: ['test/ports', 'test/host'],
  doors: ['test/doors'],
};

export interface RoomFiles {
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

export interface Choice {
  /** What a source's path from `src/ROOM/` begins with; all of them when empty. */
  readonly only: readonly string[];
  /** A commit: only files that differ from it. */
  readonly since: string | null;
  /** Instead of the room's own; those when empty. */
  readonly tests: readonly string[];
}

/** @throws Error when nothing is left */
export function filesOf(root: string, room: string, choice: Choice): RoomFiles {
  const { only, since } = choice;
  if (!existsSync(join(root, 'src', room))) throw new Error(`there is no src/${room}`);
  const changed = since === null ? null : changedSince(root, since);
  const sources = sourcesOf(root, room).filter(
    (path) =>
      (only.length === 0 || only.some((start) => path.startsWith(`src/${room}/${start}`))) &&
      changed?.has(path) !== false,
  );
  if (sources.length === 0) throw new Error(`nothing of src/${room} is left to mutate`);
  const places = choice.tests.length > 0 ? choice.tests : [`src/${room}`, ...(TESTS[room] ?? [])];
  const tests = places.flatMap((place) =>
    place.endsWith('.ts') ? place : globSync(`${place}/**/*.test.ts`, { cwd: root }).toSorted(),
  );
  return { sources, tests };
}

/** Generated tables and what only tests use are no logic of the product. */
function sourcesOf(root: string, room: string): readonly string[] {
  return globSync(`src/${room}/**/*.ts`, { cwd: root })
    .filter((path) => !/\.(?:test|generated)\.ts$|\/testing\.ts$|\/contract\//.test(path))
    .toSorted();
}

function changedSince(root: string, since: string): ReadonlySet<string> {
  const names = execFileSync('git', ['diff', '--name-only', since, '--', 'src'], { cwd: root });
  return new Set(names.toString().split('\n'));
}
