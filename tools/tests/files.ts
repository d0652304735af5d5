/** Which test files there are, and which of them share a process. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const PATTERNS = ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'];

/**
 * The groups of tests that share a process each. A process of its own costs a file 0.2 s, and 1 s
 * where it loads all causes; groups of what loads the same run beside each other.
 */
export const GROUPS = ['inner', 'edges', 'product', 'simulator'] as const;
export type Group = (typeof GROUPS)[number];

/** The entry of a group's process, from the checkout. */
export function entryOf(group: Group): string {
  return `tools/tests/together/${group}.ts`;
}

/** The first that matches; a file of no group has a process of its own. */
const ROOMS: Readonly<Record<Group, RegExp>> = {
  inner:
    /^(?:src\/(?:evidence|diagnosis|capacity|causes|readers|ports|domain|controllers|runtime|collection)|test\/(?:architecture|diagnosis|manifests|readers|runtime))\//,
  edges: /^(?:src\/(?:adapters|doors)|test\/(?:doors|ports|agent|host))\//,
  product:
    /^(?:src\/(?:engine|apps)|test\/(?:engine|cli|capacity|spot|recording|roll-call|join|preflight|accuracy|hostile|mcp|causes|metamorphic))\//,
  simulator: /^test\/(?:sim|controllers)\//,
};

/**
 * What a test must not do beside others in one process: change what belongs to the process, or
 * hang hooks on every test.
 */
const DISTURBS =
  /\bprocess\.(?:env|chdir|exit|exitCode|argv|cwd|on|once|kill|stdout|stderr|stdin|memoryUsage|cpuUsage)\b|\bglobalThis\b|\bmock\.|^(?:before|beforeEach|afterEach)\(|\bgc\(|setFlags|node:v8|node:async_hooks|\b(?:startCounting|collectConstructed)\(/m;

/** A test that another file declares, as contract tests are, is told apart only by its process. */
const DECLARES = /^import \{[^}]*\b(?:test|describe)\b[^}]*\} from 'node:test';/m;

/** The architecture test keeps clocks, files and globals out of these rooms. */
const PURE = /^(?:src\/(?:evidence|diagnosis|capacity|causes|readers|ports)|test\/architecture)\//;

/** The environment variable that carries the paths of each group, as JSON. */
export const TOGETHER_VARIABLE = 'ROLLCALL_TESTS_TOGETHER';

/** A real API server and moto cost each of these some 5 s, so they use the same in turn. */
const IN_TURN = /^test\/live\//;

/** The entry of their process, from the checkout. */
export const IN_TURN_ENTRY = 'test/live/in-turn.ts';

/** The environment variable that carries their paths, as JSON. */
export const IN_TURN_VARIABLE = 'ROLLCALL_TESTS_IN_TURN';

export type Groups = Readonly<Record<Group, readonly string[]>>;

export interface TestFiles {
  readonly together: Groups;
  /** Empty where there is only one, which needs no other's site. */
  readonly inTurn: readonly string[];
  readonly alone: readonly string[];
}

/**
 * @param root the checkout
 * @param wanted files or folders, relative to the working directory; all tests when empty
 * @param long files from the checkout that take long, and so run beside the groups
 * @returns absolute paths
 * @throws Error when an argument names nothing, or no test
 */
export function testFiles(
  root: string,
  wanted: readonly string[],
  long: ReadonlySet<string> = new Set(),
): TestFiles {
  const all = globSync(PATTERNS, { cwd: root }).map((file) => resolve(root, file));
  const files = wanted.length === 0 ? all : wanted.flatMap((path) => below(all, path));
  const unique = [...new Set(files)].toSorted();
  const grouped = Map.groupBy(unique, (file) => groupOf(root, file, long));
  const of = (group: Group): readonly string[] => grouped.get(group) ?? [];
  const together = {
    inner: of('inner'),
    edges: of('edges'),
    product: of('product'),
    simulator: of('simulator'),
  };
  const ofSite = unique.filter((file) => IN_TURN.test(relative(root, file)));
  const inTurn = ofSite.length > 1 ? ofSite : [];
  const taken = new Set(inTurn);
  return { together, inTurn, alone: (grouped.get(null) ?? []).filter((file) => !taken.has(file)) };
}

/**
 * Of the files that start real parts, alone and in turn, one in so many runs in a share; prime, so
 * that the sets inside a file do not meet the same turns each time.
 */
const REAL_OF = 7;
const IN_TURN_OF = 5;
const REAL = /^test\/real\//;

/** The files, of those that start real parts one share; another one at each turn. */
export function shareOfReal(root: string, files: TestFiles, turn: number): TestFiles {
  const real = files.alone.filter((file) => REAL.test(relative(root, file)));
  const leftOut = new Set(real.filter((_, index) => (index + turn) % REAL_OF !== 0));
  return {
    ...files,
    inTurn: files.inTurn.filter((_, index) => (index + turn) % IN_TURN_OF === 0),
    alone: files.alone.filter((file) => !leftOut.has(file)),
  };
}

function below(all: readonly string[], path: string): readonly string[] {
  const full = resolve(path);
  if (!existsSync(full)) throw new Error(`${path} does not exist`);
  if (statSync(full).isFile()) return [full];
  const files = all.filter((file) => file.startsWith(`${full}/`));
  if (files.length === 0) throw new Error(`${path} holds no *.test.ts`);
  return files;
}

function groupOf(root: string, file: string, long: ReadonlySet<string>): Group | null {
  const path = relative(root, file);
  const group = GROUPS.find((one) => ROOMS[one].test(path));
  if (group === undefined || long.has(path)) return null;
  const text = readFileSync(file, 'utf8');
  if (!DECLARES.test(text)) return null;
  return PURE.test(path) || !DISTURBS.test(text) ? group : null;
}
