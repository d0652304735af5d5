/**
 * `node tools/planted-secrets.ts`: runs the tests that plant secrets, whole, and writes what was
 * planted where and looked for in which outputs to docs/secrets.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAMILIES } from '../test/hostile/planted/shapes.ts';
import type { PlantedTable } from '../test/hostile/planted/table.ts';

const PAGE = join(import.meta.dirname, '../docs/secrets.md');
const TESTS = ['', '-kept', '-gate', '-agent', '-join', '-fix'].map(
  (of) => `test/hostile/planted${of}.test.ts`,
);
const NAMES = Object.keys(FAMILIES) as readonly (keyof typeof FAMILIES)[];

function tablesOf(): readonly PlantedTable[] {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-planted-table-'));
  try {
    const path = join(folder, 'tables');
    const { status } = spawnSync(process.execPath, ['--test', ...TESTS], {
      cwd: join(import.meta.dirname, '..'),
      env: { ...process.env, ROLLCALL_PLANTED_TABLE: path, ROLLCALL_TEST_TURN: '' },
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('a planted secret was shown, or the tests did not run');
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as PlantedTable);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An object or an answer, and the place in it; names of objects and files do not matter. */
function splitPlace(place: string): readonly [of: string, part: string] {
  const kind = place
    .replace(/^(?:log|journal) of .*/, 'logs and journals')
    .replace(/ of .*| on .*/, '')
    .replace(/^(ConfigMap) [a-z-]+$/, '$1 value')
    .replace(/^(ConfigMap) [a-z-]+ /, '$1 ');
  const [, of = kind, part = ''] =
    /^(.*?)(?: (annotation(?: text)?|known annotation|last-applied|managed fields|condition|spec|status|tag(?: text)?|user data|description|health|(?:template |init )*(?:args|command|container state|env|envFrom|flex volume|host alias|lifecycle|message|probe(?: header)?|volume)|template annotation|binary|file|value|comment|URL))$/.exec(
      kind,
    ) ?? [];
  return [of, part];
}

interface PlaceRow {
  readonly parts: Set<string>;
  readonly counts: number[];
}

function placeRows(tables: readonly PlantedTable[]): readonly string[] {
  const rows = new Map<string, PlaceRow>();
  for (const [place, shapes] of tables.flatMap(({ places }) => places)) {
    const [of, part] = splitPlace(place);
    const row = rows.get(of) ?? { parts: new Set(), counts: NAMES.map(() => 0) };
    rows.set(of, row);
    row.parts.add(part);
    countFamilies(shapes, row.counts);
  }
  const sorted = [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([of, { parts, counts }]) => {
    const places = [...parts].toSorted().filter((part) => part !== '');
    return `| ${of} | ${places.join(', ')} | ${counts.join(' | ')} |`;
  });
}

function countFamilies(shapes: readonly string[], counts: number[]): void {
  for (const [at, name] of NAMES.entries()) {
    const family = new Set<string>(FAMILIES[name].map(([shape]) => shape));
    counts[at] = (counts[at] ?? 0) + shapes.filter((shape) => family.has(shape)).length;
  }
}

function outputRows(tables: readonly PlantedTable[]): readonly string[] {
  return tables.flatMap(({ places, outputs }) => {
    const planted = places.reduce((sum, [, shapes]) => sum + shapes.length, 0);
    return outputs.map(
      ([output, characters]) =>
        `| ${output} | ${characters} | ${planted} | ${NAMES.map(() => 0).join(' | ')} |`,
    );
  });
}

function page(tables: readonly PlantedTable[]): string {
  const shapes = NAMES.map((name) => `${FAMILIES[name].length} ${name}`).join(', ');
  const heads = NAMES.join(' | ');
  const rule = NAMES.map(() => '---').join(' | ');
  return `# Where secrets were planted, and where they were looked for

\`node tools/planted-secrets.ts\` writes this page. Its tests run in CI and fail at the first piece of a secret that an output shows.

Secrets have ${shapes}: ${Object.values(FAMILIES).flat().length} shapes. Each place gets its own secret of each shape; a few places, such as values of environment variables, get twelve values without a shape.
Every output is searched for every secret of every place: as it is, in pieces of twelve letters, in base64, base64url and hex, escaped for URLs and for JSON.

## Places, and how many secrets of each family were planted there

| object or answer | places in it | ${heads} |
| --- | --- | ${rule} |
${placeRows(tables).join('\n')}

## Outputs, and how many pieces of secrets each shows

| output | characters | secrets looked for | ${heads} |
| --- | --- | --- | ${rule} |
${outputRows(tables).join('\n')}
`;
}

writeFileSync(PAGE, page(tablesOf()));
