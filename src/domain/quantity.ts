/** Suffixes of Kubernetes (apimachinery, resource.Quantity), and what they multiply by. */
const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** The number of a quantity such as `7146Mi` or `1500m`; null for what is none. */
export function amountOf(quantity: string | undefined): number | null {
  const parts = /^(\d{1,18}(?:\.\d{1,9})?)([mkMGTP]|[KMGTP]i)?$/.exec(quantity ?? '');
  const factor = FACTORS[parts?.[2] ?? ''];
  return parts === null || factor === undefined ? null : Number(parts[1]) * factor;
}
