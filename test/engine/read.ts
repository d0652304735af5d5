import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import type { FactKind, FactTypes } from '../../src/evidence/kinds.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { createReading } from '../../src/readers/reading.ts';
import type { SignRow } from '../../src/evidence/sign-row.ts';
import { compileSigns } from '../../src/readers/sign-table.ts';

export function row(change: Partial<SignRow>): SignRow {
  return {
    owner: 'a',
    name: 's',
    in: ['kubelet'],
    anchors: ['deciding words'],
    pattern: /deciding words(?: (?<object>\w+))?/,
    strict: false,
    per: [],
    ...change,
  };
}

export function read(
  files: Readonly<Record<string, string>>,
  rows: readonly SignRow[] = [row({})],
  container: string | null = null,
): Observations {
  const reading = createReading(compileSigns(rows));
  for (const [name, text] of Object.entries(files)) {
    const reader = reading.open(name, container);
    reader.push(new TextEncoder().encode(text));
    reader.end();
  }
  return reading.finish();
}

export function factsOf<K extends FactKind>(
  observations: Observations,
  kind: K,
): readonly FactTypes[K][] {
  return observations.facts
    .filter((fact) => fact.kind === kind)
    .map((fact) => fact.value as FactTypes[K]);
}

export function machinesOf(observations: Observations): readonly string[] {
  return assembleSubjects(observations)
    .filter((subject) => subject.kind === 'Machine')
    .map((subject) => subject.name)
    .toSorted();
}
