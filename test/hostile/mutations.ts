import fc from 'fast-check';

const encoder = new TextEncoder();

/** One change of some bytes; `at` between 0 and 1 says where. */
interface Change {
  readonly kind: 'flip' | 'cut' | 'repeat' | 'remove' | 'insert';
  readonly at: number;
  readonly bytes: Uint8Array;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'repeat', 'remove', 'insert'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 30 }),
    fc
      .constantFrom('\n', '\u202e', '\u001b[2J', '"', '{', ']', '\\', '\t', '\u0000')
      .map((text) => encoder.encode(text)),
  ),
});

function changed(bytes: Uint8Array, { kind, at, bytes: piece }: Change): Uint8Array {
  const start = Math.floor(at * bytes.length);
  const before = bytes.subarray(0, start);
  const after = bytes.subarray(start);
  switch (kind) {
    case 'flip':
      return joined(before, flipped(after));
    case 'cut':
      return before;
    case 'repeat':
      return joined(before, after, after);
    case 'remove':
      return joined(before, after.subarray(piece.length));
    default:
      return joined(before, piece, after);
  }
}

function flipped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, index) => (index === 0 ? byte ^ 0x20 : byte));
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Values that no field expects. */
const WRONG: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER,
  '',
  '\u202e\u001b[2J\u0000',
  'x'.repeat(5000),
  [],
  [[[]]],
  [null],
  {},
  { __proto__: null, constructor: { name: 1 }, toString: 1 },
  { items: [{ kind: 'Node' }] },
];

const KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'kind', 'name'];

function deep(depth: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const wrongValue = fc.oneof(
  fc.constantFrom(...WRONG),
  fc.integer({ min: 1, max: 450 }).map(deep),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with its field number `wanted`, counted in order, replaced or given a strange key. */
function withField(value: unknown, wanted: number, put: unknown, key: string | null): unknown {
  let count = -1;
  const visit = (here: unknown): unknown => {
    count++;
    if (count === wanted) return key === null ? put : { ...Object(here), [key]: put };
    if (Array.isArray(here)) return here.map(visit);
    if (typeof here !== 'object' || here === null) return here;
    return Object.fromEntries(Object.entries(here).map(([name, entry]) => [name, visit(entry)]));
  };
  return visit(value);
}

function countFields(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, entry) => sum + countFields(entry), 1);
}

/** JSON of a value with one field wrong: its type, its depth, its size or its keys. */
export function misshapen(value: unknown): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.nat(countFields(value) - 1),
      wrongValue,
      fc.option(fc.constantFrom(...KEYS), { freq: 3 }),
    )
    .map(([wanted, put, key]) => JSON.stringify(withField(value, wanted, put, key)));
}

function isJson(text: string): boolean {
  return text.startsWith('{') && !text.includes('\n');
}

/** The bytes after a few changes. */
export function broken(whole: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((all) => all.reduce(changed, whole));
}

/** Any bytes, a real text changed, the text spliced with another one, or its fields wrong. */
export function mutated(text: string, others: readonly string[]): fc.Arbitrary<Uint8Array> {
  const own = encoder.encode(text);
  const spliced = fc
    .tuple(fc.constantFrom(...others), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([other, at]) => {
      const cut = Math.floor(at * text.length);
      return encoder.encode(text.slice(0, cut) + other + text.slice(cut));
    });
  const whole = [fc.uint8Array({ maxLength: 2000 }), broken(own), spliced];
  return fc.oneof(
    ...whole,
    ...(isJson(text) ? [misshapen(JSON.parse(text)).map((json) => encoder.encode(json))] : []),
  );
}
