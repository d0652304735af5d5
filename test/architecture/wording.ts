/** Habits of wording that a reader stumbles over, in what Rollcall prints and in its documents. */
import {
  allTokens,
  at,
  type Check,
  isGenerated,
  isTest,
  type SourceFile,
  type Violation,
} from './sources.ts';

interface Habit {
  readonly words: RegExp;
  readonly instead: string;
}

const HABITS: readonly Habit[] = [
  { words: /\b(?:is|are) (?:said|told)\b/, instead: 'say who reports it, or "reported"' },
  { words: /\bis none of\b|\bis none that\b/, instead: 'write "is not"' },
  { words: /\banew\b/, instead: 'write "again"' },
  { words: /\bmend(?:s|ed|ing)?\b/, instead: 'write "fix"' },
  { words: /\bown images?\b/, instead: 'write "custom AMI"' },
  { words: /\btime lines?\b/, instead: 'write "timeline"' },
  { words: /\bCluster cluster\b/, instead: 'write "Cluster (name unknown)"' },
  { words: /\bbroken too\b/, instead: 'write "also blocked by"' },
  { words: /\bspeaks? of\b/, instead: 'write "is about" or "names"' },
  { words: /\bof a form that\b/, instead: 'write "unrecognized input"' },
];

/** Rooms whose texts a person reads; the simulated programs speak as the real ones do. */
const SPEAKING =
  /^src\/(?:apps\/cli|adapters|capacity|causes|collection|diagnosis|domain|engine|readers)\//;
const PAGES = /^(?:README|CHANGELOG|SCOPE)\.md$|^docs\/(?!decisions\/)[^/]+\.md$|^docs\/causes\//;

export const wording: Check = {
  title: 'what people read is worded as the field words it',
  run: (files) => [
    ...files.filter(speaks).flatMap(inTexts),
    ...files.filter(({ path }) => PAGES.test(path)).flatMap(inPage),
  ],
};

function speaks(file: SourceFile): boolean {
  const { path } = file;
  return SPEAKING.test(path) && path.endsWith('.ts') && !isTest(path) && !isGenerated(file);
}

function inTexts(file: SourceFile): readonly Violation[] {
  return allTokens(file)
    .filter(({ kind, text }) => (kind === 'string' || kind === 'template') && text.includes(' '))
    .flatMap(({ text, line }) => habitsIn(file, text, line));
}

/** What programs printed stands in code, as they printed it. */
function inPage(file: SourceFile): readonly Violation[] {
  let isQuoted = false;
  return file.text.split('\n').flatMap((line, index) => {
    if (line.startsWith('```')) isQuoted = !isQuoted;
    return isQuoted ? [] : habitsIn(file, line.replaceAll(/`[^`]*`/g, ''), index + 1);
  });
}

function habitsIn(file: SourceFile, text: string, line: number): readonly Violation[] {
  return HABITS.flatMap(({ words, instead }) => {
    const found = words.exec(text)?.[0];
    return found === undefined ? [] : [at(file, line, `reads "${found}"; ${instead}`)];
  });
}
