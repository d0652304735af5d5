/** Factors of the suffixes of apimachinery's resource.Quantity. */
const FACTORS: ReadonlyMap<string, number> = new Map([
  ['n', 1e-9],
  ['u', 1e-6],
  ['m', 1e-3],
  ['', 1],
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['T', 1e12],
  ['P', 1e15],
  ['E', 1e18],
  ['Ki', 2 ** 10],
  ['Mi', 2 ** 20],
  ['Gi', 2 ** 30],
  ['Ti', 2 ** 40],
  ['Pi', 2 ** 50],
  ['Ei', 2 ** 60],
]);

const QUANTITY = /^([+-]?\d{1,20}(?:\.\d{1,20})?)(?:e([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;

const PARSED = new Map<string, number>();
/** Quantities are few words written many times. */
const PARSED_MAX = 1000;

/** A quantity as a number, `100m` as 0.1; zero for what is none. */
export function quantityOf(text: string): number {
  const known = PARSED.get(text);
  if (known !== undefined) return known;
  const [, digits, exponent, suffix] = QUANTITY.exec(text) ?? [];
  const factor = exponent === undefined ? FACTORS.get(suffix ?? '') : 10 ** Number(exponent);
  const value = digits === undefined ? 0 : Number(digits) * (factor ?? 0);
  if (PARSED.size < PARSED_MAX) PARSED.set(text, value);
  return value;
}
