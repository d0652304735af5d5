import type { DiagnosisDocument } from '../diagnosis/document.ts';
import type { Examination } from '../diagnosis/examine.ts';
import type { FoundCause } from '../diagnosis/standing.ts';
import type { Observations } from '../evidence/observations.ts';
import type { Quote } from '../evidence/sighting.ts';

/** Failures of one cluster at one moment rarely have so many causes; guides tell of more. */
const CAUSES_MIN = 3;

/** The causes that stand for themselves, all of them of no machine; null where one is of a machine. */
function rootsOfNobody({ subjects }: DiagnosisDocument): ReadonlySet<string> | null {
  const roots = subjects.flatMap(({ kind, findings }) =>
    findings
      .filter(({ role, confidence }) => role === 'root' && confidence !== 'possible')
      .map(({ cause }) => ({ kind, cause })),
  );
  return roots.every(({ kind }) => kind === 'Cluster')
    ? new Set(roots.map(({ cause }) => cause))
    : null;
}

/** The document in which all of these lines stand; null where they stand in several. */
function onlyDocument(quotes: readonly Quote[]): number | null {
  const [first, ...others] = new Set(quotes.map(({ moment }) => moment.at.document));
  return first === undefined || others.length > 0 ? null : first;
}

function isTimed({ match }: FoundCause): boolean {
  return match.proof.some(({ moment }) => moment.when !== null);
}

/**
 * The document that tells of failures as guides, lists of codes and blog posts do: of three or more
 * causes that have nothing to do with each other, of no machine, and not by time.
 */
export function guideIn(
  document: DiagnosisDocument,
  { standings }: Examination,
  { collection }: Observations,
): number | null {
  const roots = collection === null ? rootsOfNobody(document) : null;
  if (roots === null || roots.size < CAUSES_MIN) return null;
  const founds = standings.flatMap((standing) =>
    standing.founds.filter(({ cause }) => roots.has(cause.id)),
  );
  const isByTime = founds.filter(isTimed).length > 1;
  return isByTime ? null : onlyDocument(founds.flatMap(({ match }) => match.proof));
}

/** The evidence without what the lines of a document say; that they were left out is said. */
export function withoutLinesOf(observations: Observations, document: number): Observations {
  const { documents, hits, losses } = observations;
  const locator = documents[document]?.locator ?? '';
  const what = `${locator} tells of several failures that have nothing to do with each other, as a guide does; give the lines of your own machine.`;
  return {
    ...observations,
    hits: hits.filter((hit) => hit.document !== document),
    losses: [...losses, { locator, what }],
  };
}
