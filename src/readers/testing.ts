/** What one reader of a passage writes down. */
import type { FactKind, FactTypes } from '../evidence/kinds.ts';
import type { FactRecord, Listing, NameLink } from '../evidence/observations.ts';
import type { LineSource } from '../evidence/source.ts';
import { createCollector } from './collector.ts';
import { openPassage, type PassageReading } from './passage.ts';
import type { ReadLine } from './quotes.ts';
import { compileSigns } from './sign-table.ts';

const NO_SIGNS = compileSigns([]);

export interface Written {
  readonly facts: readonly FactRecord[];
  readonly links: readonly NameLink[];
  readonly listings: readonly Listing[];
  readonly sources: readonly LineSource[];
  readonly said: readonly ReadLine[];
}

export function writtenBy(read: (passage: PassageReading) => void): Written {
  const collector = createCollector();
  const document = collector.openDocument('file', null);
  const { passage, said } = openPassage({ collector, table: NO_SIGNS, document });
  read(passage);
  const { facts, links, listings, documents } = collector.finish();
  return { facts, links, listings, said, sources: documents.flatMap(({ sources }) => sources) };
}

export function factOf<K extends FactKind>(
  { facts }: Pick<Written, 'facts'>,
  kind: K,
): FactTypes[K] | undefined {
  return facts.find((fact) => fact.kind === kind)?.value as FactTypes[K] | undefined;
}

/** `instance-id i-0a`, for all machines that a fact or a line is about. */
export function namesOf(about: FactRecord['about']): readonly string[] {
  return about.map(({ kind, value }) => `${kind} ${value}`);
}
