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
  const is = `${kind} ${key} is "${found}"`;
  if (value !== null && found !== value) return unproven(`${is}, not "${value}"`);
  return { state: 'proven', sinceMs: null, hold: found, by: is };
}
