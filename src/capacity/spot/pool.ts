/** Type and zone: what EC2 calls a capacity pool, from which it takes instances away together. */
export interface PoolName {
  readonly type: string;
  readonly zone: string;
}

export function keyOf({ type, zone }: PoolName): string {
  return `${type} ${zone}`;
}

/** `m7g` of `m7g.large`. */
export function familyOf(type: string): string {
  return type.slice(0, type.indexOf('.'));
}
