/** Which test files there are, and which of them may share a process. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'];

/**
 * The architecture test keeps clocks, files and globals out of these rooms, so their tests cannot
 * disturb one another; a process of its own would cost each of them some 60 ms.
 */
const TOGETHER =
  /^(?:src\/(?:evidence|diagnosis|capacity|causes|readers|ports)|test\/architecture)\//;

/** The environment variable that carries their paths, as JSON. */
export const TOGETHER_VARIABLE = 'ROLLCALL_TESTS_TOGETHER';

/** A real API server and moto cost each of these some 5 s, so they use the same in turn. */
const IN_TURN = /^test\/live\//;

/** The entry of their process, from the checkout. */
export const IN_TURN_ENTRY = 'test/live/in-turn.ts';

/** The environment variable that carries their paths, as JSON. */
export const IN_TURN_VARIABLE = 'ROLLCALL_TESTS_IN_TURN';

export interface TestFiles {
  readonly together: readonly string[];
  /** Empty where there is only one, which needs no other's site. */
  readonly inTurn: readonly string[];
  readonly alone: readonly string[];
}

/**
 * @param root the checkout
 * @param wanted files or folders, relative to the working directory; all tests when empty
 * @returns absolute paths
 * @throws Error when an argument names nothing, or no test
 */
export function testFiles(root: string, wanted: readonly string[]): TestFiles {
  const all = globSync(PATTERNS, { cwd: root }).map((file) => resolve(root, file));
  const files = wanted.length === 0 ? all : wanted.flatMap((path) => below(all, path));
  const unique = [...new Set(files)].toSorted();
  const together = unique.filter((file) => mayShare(root, file));
  const ofSite = unique.filter((file) => IN_TURN.test(relative(root, file)));
  const inTurn = ofSite.length > 1 ? ofSite : [];
  const taken = new Set([...together, ...inTurn]);
  return { together, inTurn, alone: unique.filter((file) => !taken.has(file)) };
}

function below(all: readonly string[], path: string): readonly string[] {
  const full = resolve(path);
  if (!existsSync(full)) throw new Error(`${path} does not exist`);
  if (statSync(full).isFile()) return [full];
  const files = all.filter((file) => file.startsWith(`${full}/`));
  if (files.length === 0) throw new Error(`${path} holds no *.test.ts`);
  return files;
}

/** A test that another file declares, as contract tests are, is told apart only by its process. */
function mayShare(root: string, file: string): boolean {
  return (
    TOGETHER.test(relative(root, file)) && readFileSync(file, 'utf8').includes("from 'node:test'")
  );
}
