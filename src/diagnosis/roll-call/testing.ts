import type { RollCallRow } from './document.ts';

/** A usable row of which nothing else is known. */
export function row(name: string, change: Partial<RollCallRow> = {}): RollCallRow {
  return {
    name,
    instanceId: null,
    node: null,
    group: { kind: 'none', name: null },
    instanceType: null,
    zone: null,
    image: null,
    launchedAt: null,
    stage: null,
    verdict: 'usable',
    headline: null,
    risks: [],
    note: null,
    ...change,
  };
}
