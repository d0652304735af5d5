/** Habits of wording that a reader stumbles over, in what Rollcall prints and in its documents. */
import {
  allTokens,
  at,
  codeTokens,
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
  { words: /\bwould tell\b/, instead: 'write "ask" or "would show"' },
  {
    words: /(?<!\b[Tt]here )\b(?:is|are|was|were) none\b/,
    instead: 'write "is not" or "there are no"',
  },
  {
    words: /(?<![Tt]here )\bis no (?!longer\b|more\b|reason\b|headline\b)\w/,
    instead: 'write "is not a"',
  },
  { words: /\b(?:is|are) not known\b/, instead: 'write "unknown"' },
  { words: /\bof which (?!\d)/, instead: 'begin another sentence' },
  { words: /\bsays? nothing\b|\bnothing says\b/, instead: 'say what is missing' },
  { words: /\b(?:can|could)(?:not| not)? be told\b/, instead: 'write "is unknown"' },
  { words: /\bcomes? to (?:run|exist)\b/, instead: 'write "starts" or "appears"' },
  { words: /\ban own\b|\bown user data\b/, instead: 'write "a custom"' },
  { words: /\bgo(?:es)? on\b/, instead: 'write "continue"' },
  { words: /\bstands? (?:for|at|in|beside|behind|above)\b/, instead: 'write "is" or "represents"' },
  { words: /\bwithout a word\b/, instead: 'write "silently"' },
  {
    words: /\b(?:initiali|recogni|seriali|organi)s(?:e[ds]?|ing|ation)\b/,
    instead: 'spell it with z',
  },
];

/** Rooms whose texts a person reads; the simulated programs speak as the real ones do. */
const SPEAKING =
  /^src\/(?:apps|adapters|capacity|causes|collection|diagnosis|domain|engine|readers|sim\/stories)\//;
const PAGES = /^(?:README|CHANGELOG|SCOPE|SECURITY|ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/.*\.md$/;
const TITLES = /^(?:src|test|tools|bench)\/.*\.test\.ts$/;

export const wording: Check = {
  title: 'what people read is worded as the field words it',
  run: (files) => [
    ...files.filter(speaks).flatMap(inTexts),
    ...files.filter(({ path }) => PAGES.test(path)).flatMap(inPage),
    ...files.filter(({ path }) => TITLES.test(path)).flatMap(inTitles),
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

/** The names of tests and of their groups. */
function inTitles(file: SourceFile): readonly Violation[] {
  const tokens = codeTokens(file);
  return tokens.flatMap(({ kind, text, line }, index) => {
    const [call, bracket] = tokens.slice(Math.max(0, index - 2), index);
    const isTitle = bracket?.text === '(' && /^(?:describe|it|test)$/.test(call?.text ?? '');
    return isTitle && kind === 'string' ? habitsIn(file, text, line) : [];
  });
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
