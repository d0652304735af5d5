export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Of the normal distribution, for 95 of 100. */
const Z = 1.96;

/** The 95 % interval of a share after Wilson, which holds for few and for none. */
export function intervalOf(hits: number, of: number): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const share = hits / of;
  const squared = (Z * Z) / of;
  const middle = (share + squared / 2) / (1 + squared);
  const half = (Z * Math.sqrt((share * (1 - share)) / of + squared / (4 * of))) / (1 + squared);
  return {
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === of ? 1 : Math.min(1, middle + half),
  };
}

/** `1.5 %`; whole numbers without the fraction. */
export function percent(share: number): string {
  const value = Math.round(share * 1000) / 10;
  return `${value} %`;
}
