/** Mistakes that a gate easily makes, each at its writes, and the rules that must notice. */
import type { KubePatch, KubeWrites } from '../../../src/ports/kube-writes.ts';

export interface GateBug {
  /** Of its kind in the list: `P9`. */
  readonly id: string;
  readonly caughtBy: readonly string[];
  readonly writes: (writes: KubeWrites) => KubeWrites;
}

function withoutVersion(patch: KubePatch): KubePatch {
  if (patch.type !== 'json') return patch;
  const isOther = ({ path }: { readonly path?: unknown }): boolean =>
    path !== '/metadata/resourceVersion' && path !== '/metadata/uid';
  return { ...patch, operations: patch.operations.filter(isOther) };
}

export const GATE_BUGS: readonly GateBug[] = [
  {
    id: 'P9',
    caughtBy: ['I-06'],
    writes: (writes) => ({
      ...writes,
      patch: async (resource, name, patch, more) =>
        writes.patch(resource, name, withoutVersion(patch), more),
    }),
  },
];
