import type { KubeKind } from '../../sim/kube/kinds.ts';

/** A kind as discovery has it. */
export interface DiscoveredKind
  extends Pick<
    KubeKind,
    | 'group'
    | 'version'
    | 'plural'
    | 'singular'
    | 'kind'
    | 'isNamespaced'
    | 'shortNames'
    | 'categories'
    | 'subresources'
  > {
  readonly verbs: readonly string[];
}
