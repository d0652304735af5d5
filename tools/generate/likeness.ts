/** What is typical of the evidence of each cause, from its signs, its page and its examples. */
import type { Cause } from '../../src/diagnosis/cause.ts';
import { featuresOf } from '../../src/diagnosis/likeness/features.ts';
import {
  type LikenessIndex,
  pack,
  type Weights,
} from '../../src/diagnosis/likeness/likeness-index.ts';
import { readTexts } from '../../src/engine/pile.ts';
import type { Example } from '../../test/causes/example.ts';
import type { GeneratedFile } from './cause-pages.ts';

/** Features kept of a cause: the rest says little, and the index is loaded while somebody waits. */
const FEATURES_MAX = 400;
/** What a page explains, or a person tells, is less like evidence than what programs print. */
const PROSE_WEIGHT = 0.5;

interface Sample {
  readonly cause: string;
  readonly features: ReadonlySet<number>;
  readonly weight: number;
}

/** The plain words of an expression. */
function wordsOf(pattern: RegExp): string {
  return pattern.source
    .replace(/\(\?<\w+>|\(\?<?[:=!]/g, '(')
    .replace(/\\[bdwsDWSB]|\[[^\]]*\]|[+*?^$(){}|]/g, ' ')
    .replace(/\\(.)/g, '$1');
}

function sampleOf(cause: string, texts: readonly string[], weight = 1): Sample {
  return { cause, features: new Set(texts.flatMap(featuresOf)), weight };
}

function samplesOfCause(cause: Cause): readonly Sample[] {
  const { id, title, page } = cause;
  // An expression of what people tell lists the words that any sentence has.
  const signs = Object.values(cause.signs).filter(
    ({ weight, isTold }) => weight !== 'withdraws' && weight !== 'clears' && isTold !== true,
  );
  return [
    ...signs.map(({ pattern }) => sampleOf(id, [wordsOf(pattern)])),
    sampleOf(id, [title, cause.summary({}), ...(page.alsoKnownAs ?? [])]),
    sampleOf(id, [page.why, page.prevent], PROSE_WEIGHT),
  ];
}

/** The troubled lines of an example, of the cause that it truly shows. */
async function sampleOfExample(example: Example): Promise<readonly Sample[]> {
  const cause = example.expect === 'found' ? example.cause : example.instead;
  if (cause === null) return [];
  const { troubled } = await readTexts(example.files);
  const isProse = troubled.every(({ source }) => source === 'unknown');
  const texts = troubled.map(({ text }) => text);
  return [sampleOf(cause, texts, isProse ? PROSE_WEIGHT : 1)];
}

/** How often each feature is in the samples of a cause, 0 to 1. */
function sharesOf(samples: readonly Sample[]): ReadonlyMap<number, number> {
  const all = samples.reduce((sum, { weight }) => sum + weight, 0);
  const shares = new Map<number, number>();
  for (const { features, weight } of samples)
    for (const feature of features) shares.set(feature, (shares.get(feature) ?? 0) + weight / all);
  return shares;
}

/** How typical a feature is: how often the cause shows it, and how few others do. */
function weightsOf(
  shares: ReadonlyMap<number, number>,
  rarityOf: (feature: number) => number,
): Weights {
  const weights = [...shares].map(
    ([feature, share]) => [feature, Math.sqrt(share) * rarityOf(feature)] as const,
  );
  const length = Math.hypot(...weights.map(([, weight]) => weight));
  return new Map(
    weights
      .map(([feature, weight]) => [feature, weight / Math.sqrt(length)] as const)
      .toSorted(([one, a], [other, b]) => b - a || one - other)
      .slice(0, FEATURES_MAX),
  );
}

/** Failures of a cause that people reported, rather than ones that were composed or captured. */
function reportsOf(examples: readonly Example[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const found = examples.filter(
    ({ expect, source }) => expect === 'found' && source.startsWith('re-enacted'),
  );
  for (const { cause } of found) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return counts;
}

/** The index of what is typical of each cause. */
export async function likenessOf(
  causes: readonly Cause[],
  examples: readonly Example[],
): Promise<LikenessIndex> {
  const ofExamples = await Promise.all(examples.map(sampleOfExample));
  const samples = [...causes.flatMap(samplesOfCause), ...ofExamples.flat()];
  const byCause = Map.groupBy(samples, ({ cause }) => cause);
  const shares = new Map([...byCause].map(([cause, its]) => [cause, sharesOf(its)]));
  const counts = new Map<number, number>();
  for (const its of shares.values())
    for (const feature of its.keys()) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const rarityOf = (feature: number): number =>
    Math.log((shares.size + 1) / ((counts.get(feature) ?? 0) + 1));
  const reports = reportsOf(examples);
  return {
    causes: causes.map(({ id }) => id),
    reported: new Map(causes.map(({ id }) => [id, reports.get(id) ?? 0])),
    packed: pack(causes.map(({ id }) => weightsOf(shares.get(id) ?? new Map(), rarityOf))),
  };
}

/** The index as a module. */
export async function likenessFile(
  causes: readonly Cause[],
  examples: readonly Example[],
): Promise<GeneratedFile> {
  const index = await likenessOf(causes, examples);
  const text = [
    '// Generated by `npm run generate` from signs, pages and examples of the causes; not edited by hand.',
    "import type { LikenessIndex } from '../diagnosis/likeness/likeness-index.ts';",
    '',
    'const REPORTED: readonly (readonly [string, number])[] = [',
    ...index.causes.map((cause) => `['${cause}',${index.reported.get(cause) ?? 0}],`),
    '];',
    '',
    'export const LIKENESS: LikenessIndex = {',
    'causes: REPORTED.map(([cause]) => cause),',
    'reported: new Map(REPORTED),',
    'packed: [',
    ...index.packed.map((records) => `'${records}',`),
    '],',
    '};',
    '',
  ].join('\n');
  return { path: 'src/causes/likeness.generated.ts', text };
}
