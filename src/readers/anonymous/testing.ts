/** Evidence with one thing in it. */
import type { Json } from '../../evidence/json.ts';
import type { MachineName } from '../../evidence/names.ts';
import type {
  DocumentSummary,
  FactRecord,
  Hit,
  Observations,
} from '../../evidence/observations.ts';
import type { Quote } from '../../evidence/sighting.ts';
import { createReading } from '../reading.ts';
import { compileSigns } from '../sign-table.ts';

const NO_SIGNS = compileSigns([]);

export function seenNothing(): Observations {
  return createReading(NO_SIGNS).finish();
}

export function seenFact(
  kind: string,
  value: Json,
  about: readonly MachineName[] = [],
): Observations {
  const fact = { kind, value, about } as unknown as FactRecord;
  return { ...seenNothing(), facts: [fact] };
}

interface HitGiven {
  /** Words of the first quote. */
  readonly first?: string;
  /** The node that the quote at `at` names. */
  readonly node?: string;
  readonly at?: 'first' | 'last' | 'between';
  readonly about?: MachineName | null;
}

export function seenHit({ first = '', node, at, about = null }: HitGiven): Observations {
  const quote = (place: HitGiven['at']): Quote =>
    ({
      excerpt: place === 'first' ? first : '',
      captures: node !== undefined && place === at ? { node } : {},
    }) as unknown as Quote;
  const hit = { about, first: quote('first'), last: quote('last'), quotes: [quote('between')] };
  return { ...seenNothing(), hits: [hit as unknown as Hit] };
}

/** The machine as a fact, a link, a document and a hit name it. */
export function seenMachine(machine: MachineName): readonly Observations[] {
  const link = { names: [machine], proof: '', locator: '' } as never;
  const document = { machines: [machine] } as unknown as DocumentSummary;
  return [
    seenFact('kube/Node', {}, [machine]),
    { ...seenNothing(), links: [link] },
    { ...seenNothing(), documents: [document] },
    seenHit({ about: machine }),
  ];
}
