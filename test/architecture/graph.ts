/** Files that nothing needs, and files that need themselves. */
import { importsOf, target } from './imports.ts';
import {
  at,
  type Check,
  isTest,
  isTypeScript,
  type SourceFile,
  type Violation,
} from './sources.ts';

interface Edge {
  readonly to: string;
  readonly line: number;
}

type Graph = ReadonlyMap<string, readonly Edge[]>;

function graphOf(files: readonly SourceFile[]): Graph {
  return new Map(files.filter(isTypeScript).map((file) => [file.path, edgesOf(file)]));
}

function edgesOf(file: SourceFile): readonly Edge[] {
  return importsOf(file).flatMap((found) => {
    const to = target(file, found);
    return to === null ? [] : [{ to, line: found.line }];
  });
}

export const missing: Check = {
  title: 'every import of ours names a file',
  run: (files) => {
    const paths = new Set(files.map(({ path }) => path));
    return files.filter(isTypeScript).flatMap((file) =>
      edgesOf(file)
        .filter(({ to }) => !paths.has(to))
        .map(({ to, line }) => at(file, line, `imports ${to}, which is not there; mend the path`)),
    );
  },
};

export const dead: Check = {
  title: 'every file is used by something other than its own test',
  run: (files) => {
    const graph = graphOf(files);
    const used = reachable(graph, [...graph.keys()].filter(isEntry));
    const tested = reachable(graph, [...graph.keys()].filter(isRun));
    return files
      .filter((file) => file.path.startsWith('src/') && isTypeScript(file))
      .filter(({ path }) => !(isTest(path) ? tested : used).has(path))
      .map((file) => at(file, 1, 'is imported by nothing that runs; use it or remove it'));
  },
};

/** What a person, the runner or the catalogue starts from. */
function isEntry(path: string): boolean {
  return (
    /^src\/apps\/[^/]+\/main\.ts$/.test(path) ||
    /^src\/causes\/[^/]+\/[^/]+\/cause\.ts$/.test(path) ||
    !path.startsWith('src/')
  );
}

function isRun(path: string): boolean {
  return path.endsWith('.test.ts');
}

function reachable(graph: Graph, entries: readonly string[]): ReadonlySet<string> {
  const reached = new Set(entries);
  // A set yields what is added to it while it is walked, so this ends when nothing new is found.
  for (const path of reached) for (const { to } of graph.get(path) ?? []) reached.add(to);
  return reached;
}

export const cycles: Check = {
  title: 'no file imports itself, not even through others',
  run: (files) => {
    const graph = graphOf(files);
    const told = new Set<string>();
    return [...graph.keys()].flatMap((path) => {
      const way = told.has(path) ? [] : wayBack(graph, path);
      for (const step of way) told.add(step);
      return way.length === 0 ? [] : [cycleOf(way)];
    });
  },
};

function cycleOf(way: readonly string[]): Violation {
  const what = `imports itself by ${way.join(' → ')}; move what they share into a file of its own`;
  return { where: way[0] ?? '', what };
}

/** @returns the shortest way from a file back to itself, both ends included, or nothing */
function wayBack(graph: Graph, start: string): readonly string[] {
  const ways = new Map<string, readonly string[]>([['', [start]]]);
  for (const way of ways.values()) {
    for (const { to } of graph.get(way.at(-1) ?? '') ?? []) {
      if (to === start) return [...way, start];
      if (!ways.has(to)) ways.set(to, [...way, to]);
    }
  }
  return [];
}
