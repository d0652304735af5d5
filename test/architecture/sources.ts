/** The files of the checkout, and what a check says about them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, type Token, tokenize } from './tokens.ts';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** What is wrong where, and what to do about it, in one line. */
export interface Violation {
  readonly where: string;
  readonly what: string;
}

/** A rule of the house; it sees all files, so that it may speak of what is between them. */
export interface Check {
  readonly title: string;
  readonly run: (files: readonly SourceFile[]) => readonly Violation[];
}

const NOT_OURS = new Set(['.git', 'node_modules', 'dist', '.cache']);
const BINARY = /\.(?:gz|tgz|xz|zip|zst|png|gif|jpg|tar|bin)$/;

/** Everything that is or will be committed; binary files stay out. */
export function readSources(root: string): readonly SourceFile[] {
  const entries = readdirSync(root, { recursive: false, withFileTypes: true });
  const top = entries.filter((entry) => !NOT_OURS.has(entry.name));
  const paths = top.flatMap((entry) =>
    entry.isDirectory() ? filesBelow(root, entry.name) : [entry.name],
  );
  return paths
    .filter((path) => !BINARY.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function filesBelow(root: string, folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .map((path) => path.replaceAll('\\', '/'));
}

export function isTypeScript({ path }: SourceFile): boolean {
  return /^(?:src|test|tools|bench)\/.*\.ts$/.test(path);
}

export function isGenerated({ path }: SourceFile): boolean {
  return path.includes('.generated.');
}

/** Tests, and what only tests use: `testing.ts` of a folder, and the contracts of ports. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /\/(?:testing\.ts|contract\/[^/]+\.ts)$/.test(path);
}

/** The TypeScript files under `src` that run in the product. */
export function productFiles(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter((file) => file.path.startsWith('src/') && isTypeScript(file));
}

const cache = new WeakMap<SourceFile, readonly Token[]>();

/** All tokens of a file, comments included. */
export function allTokens(file: SourceFile): readonly Token[] {
  const known = cache.get(file) ?? tokenize(file.text);
  cache.set(file, known);
  return known;
}

/** The tokens of a file without its comments. */
export function codeTokens(file: SourceFile): readonly Token[] {
  return code(allTokens(file));
}

/** A violation at a line of a file. */
export function at(file: SourceFile, line: number, what: string): Violation {
  return { where: `${file.path}:${line}`, what };
}

/** Files for a planted violation. */
export function planted(texts: Readonly<Record<string, string>>): readonly SourceFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}
