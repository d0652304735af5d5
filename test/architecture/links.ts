/** Links between our own documents. */
import { posix } from 'node:path';
import { at, type Check, type SourceFile, type Violation } from './sources.ts';

export const links: Check = {
  title: 'every link in the documents leads somewhere',
  run: (files) => {
    const documents = files.filter(({ path }) => path.endsWith('.md'));
    const anchors = new Map(documents.map((file) => [file.path, anchorsOf(file.text)]));
    const paths = new Set(files.flatMap(({ path }) => withFolders(path)));
    return documents.flatMap((file) => brokenLinks(file, paths, anchors));
  },
};

function withFolders(path: string): readonly string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

/** `[text](target)`, an image, and `[name]: target`. */
const LINK = /\]\(<?([^\s)>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s+<?([^\s>]+)>?/g;
const ELSEWHERE = /^[a-z][a-z0-9+.-]*:/;

function brokenLinks(
  file: SourceFile,
  paths: ReadonlySet<string>,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Violation[] {
  return proseLines(file.text).flatMap(([line, text]) =>
    [...text.matchAll(LINK)]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((target) => !ELSEWHERE.test(target) && !leads(file, target, paths, anchors))
      .map((target) => at(file, line, `links to ${target}, which is not there; mend the link`)),
  );
}

function leads(
  file: SourceFile,
  target: string,
  paths: ReadonlySet<string>,
  anchors: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const [place = '', anchor] = target.split('#');
  const joined = place === '' ? file.path : posix.join(posix.dirname(file.path), place);
  const path = joined.replace(/\/$/, '');
  if (path !== '.' && !paths.has(path)) return false;
  return anchor === undefined || !path.endsWith('.md') || (anchors.get(path)?.has(anchor) ?? false);
}

/** Lines outside of fenced code, counted from 1; code between backticks is blanked. */
function proseLines(text: string): readonly (readonly [number, string])[] {
  let fenced = false;
  return text.split('\n').flatMap((line, index) => {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    return fence || fenced ? [] : [[index + 1, line.replaceAll(/`[^`]*`/g, '')] as const];
  });
}

/** The names that a page gives to its headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = text.split('\n').filter((line) => /^#{1,6}\s/.test(line));
  return new Set(headings.map(anchorOf));
}

function anchorOf(heading: string): string {
  return heading
    .replace(/^#+\s+/, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}
