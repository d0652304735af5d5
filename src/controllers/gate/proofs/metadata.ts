import { type Saying, type Scene, unproven } from './saying.ts';

export interface MetadataProof {
  readonly kind: 'label' | 'annotation';
  readonly key: string;
  readonly value: string | null;
}

/** Proven by a label or an annotation of the Node. */
export function sayMetadata({ kind, key, value }: MetadataProof, { node }: Scene): Saying {
  const all = kind === 'label' ? node.labels : node.annotations;
  const found = Object.hasOwn(all, key) ? all[key] : undefined;
  if (found === undefined) return unproven(`the node has no ${kind} ${key}`);
  // Programs keep secrets in annotations, and in no label.
  const is = kind === 'label' ? `label ${key} is "${found}"` : `annotation ${key} is there`;
  if (value !== null && found !== value)
    return unproven(kind === 'label' ? `${is}, not "${value}"` : `${is} with another value`);
  return { state: 'proven', sinceMs: null, hold: found, by: is };
}
