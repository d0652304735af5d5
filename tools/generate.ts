import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cause } from '../src/diagnosis/cause.ts';
import { MILESTONES } from '../src/diagnosis/milestones.ts';
import type { Symptom } from '../src/diagnosis/symptom.ts';
import { SYMPTOMS } from '../src/diagnosis/symptoms.ts';
import { STAGES } from '../src/evidence/stage.ts';
import { loadExamples } from '../test/causes/example.ts';
import { anchorFaults } from './generate/anchors.ts';
import { bounded } from './generate/bounded.ts';
import { causePages, type GeneratedFile } from './generate/cause-pages.ts';
import { instanceTypesFile } from './generate/instance-types.ts';
import { scenariosFile } from './generate/scenarios.ts';

const ROOT = join(import.meta.dirname, '..');
const CAUSES = join(ROOT, 'src/causes');

interface LoadedCause {
  readonly folder: string;
  readonly cause: Cause;
}

function foldersOf(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}

/** A cause that does not load is left out and makes the run end with exit code 1. */
async function loadCause(url: string): Promise<Cause | null> {
  try {
    return ((await import(url)) as { default: Cause }).default;
  } catch (error) {
    console.error(
      `${url} does not load: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exitCode = 1;
    return null;
  }
}

/** Every cause in the source tree, by stage and then by id. */
export async function loadAllCauses(): Promise<readonly LoadedCause[]> {
  const loaded: LoadedCause[] = [];
  const present = new Set(foldersOf(CAUSES));
  for (const stage of STAGES.filter((name) => present.has(name))) {
    for (const id of foldersOf(join(CAUSES, stage))) {
      const url = pathToFileURL(join(CAUSES, stage, id, 'cause.ts')).href;
      const cause = await loadCause(url);
      if (cause !== null) loaded.push({ folder: `${stage}/${id}`, cause });
    }
  }
  return loaded;
}

interface Row {
  readonly owner: string;
  readonly name: string;
  readonly in: readonly string[];
  readonly anchors: readonly string[];
  readonly pattern: RegExp;
  readonly strict?: boolean | undefined;
  readonly isTold?: boolean | undefined;
  readonly per: readonly string[];
}

function rowsOfCause({ cause }: LoadedCause): readonly Row[] {
  return Object.entries(cause.signs).map(([name, sign]) => ({
    ...sign,
    owner: cause.id,
    name,
    per: cause.per ?? [],
  }));
}

function rowsOfTables(): readonly Row[] {
  const symptoms = SYMPTOMS.flatMap((symptom: Symptom) =>
    symptom.signs.map((sign, index) => ({
      ...sign,
      owner: `symptom:${symptom.id}`,
      name: String(index),
      per: [],
    })),
  );
  const milestones = MILESTONES.flatMap((milestone) =>
    milestone.signs.map((sign, index) => ({
      ...sign,
      owner: `milestone:${milestone.id}`,
      name: String(index),
      per: [],
    })),
  );
  return [...milestones, ...symptoms];
}

function list(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(',')}]`;
}

function printRow(row: Row): string {
  return `{owner:${JSON.stringify(row.owner)},name:${JSON.stringify(row.name)},in:${list(row.in)},anchors:${list(row.anchors)},pattern:${String(bounded(row.pattern))},strict:${row.strict === true},${row.isTold === true ? 'isTold:true,' : ''}per:${list(row.per)}},`;
}

function printCause({ folder, cause }: LoadedCause): string {
  const fields = [
    `id:${JSON.stringify(cause.id)}`,
    `stage:${JSON.stringify(cause.stage)}`,
    `title:${JSON.stringify(cause.title)}`,
    `needs:${list(cause.needs)}`,
    `symptoms:${list(cause.symptoms)}`,
    `formerly:${list(cause.formerly ?? [])}`,
    ...(cause.foresee === undefined ? [] : ['foresees:true']),
    `load:()=>import('./${folder}/cause.ts')`,
  ];
  return `{${fields.join(',')}},`;
}

function versionOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** The signs of milestones, symptoms and causes in the order of the index. */
function rowsOf(causes: readonly LoadedCause[]): readonly Row[] {
  return [...rowsOfTables(), ...causes.flatMap(rowsOfCause)];
}

/** The type checker joins the types of a literal's rows, and gives up over so many different ones. */
const ROWS_MAX = 1000;

/** The rows as literals that the type checker can join, each of its own. */
function printParts(rows: readonly string[]): readonly string[] {
  const parts = Array.from({ length: Math.ceil(rows.length / ROWS_MAX) }, (_, part) =>
    rows.slice(part * ROWS_MAX, (part + 1) * ROWS_MAX),
  );
  const names = parts.map((_, part) => `SIGNS_${part}`);
  return [
    ...parts.flatMap((part, index) => [
      `const ${names[index] ?? ''}: readonly SignRow[] = [`,
      ...part,
      '];',
      '',
    ]),
    `export const SIGNS: readonly SignRow[] = [${names.map((name) => `...${name}`).join(', ')}];`,
    '',
  ];
}

/** The index by which causes are found without loading them. */
export function printIndex(causes: readonly LoadedCause[]): string {
  const rows = rowsOf(causes).map(printRow);
  const entries = causes.map(printCause);
  const body = [...rows, ...entries].join('\n');
  return [
    '// Generated by `npm run generate` from the cause folders, symptoms and milestones; not edited by hand.',
    "import type { SignRow } from '../evidence/sign-row.ts';",
    "import type { CauseEntry } from './catalogue.ts';",
    '',
    `export const CATALOGUE_VERSION = '${causes.length}-${versionOf(body)}';`,
    '',
    ...printParts(rows),
    'export const CAUSES: readonly CauseEntry[] = [',
    ...entries,
    '];',
    '',
  ].join('\n');
}

/** The index as it should be. */
function indexFile(causes: readonly LoadedCause[]): GeneratedFile {
  return { path: 'src/causes/index.generated.ts', text: printIndex(causes) };
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}

/** The other generated files; what reads the index is loaded here, when a sound one stands. */
async function otherFiles(causes: readonly LoadedCause[]): Promise<readonly GeneratedFile[]> {
  const { commandsPage } = await import('./generate/commands.ts');
  const { controllerPage } = await import('./generate/controller-settings.ts');
  const { likenessFile } = await import('./generate/likeness.ts');
  const { preflightPage } = await import('./generate/preflight-table.ts');
  const { picture } = await import('./generate/picture.ts');
  const { permissionFiles } = await import('./generate/permissions.ts');
  const { simulationPage } = await import('./generate/simulation.ts');
  const { capturedPage } = await import('./generate/captured.ts');
  return [
    ...causePages(causes.map(({ cause }) => cause)),
    await likenessFile(
      causes.map(({ cause }) => cause),
      loadExamples(),
    ),
    await picture(),
    instanceTypesFile(),
    scenariosFile(),
    commandsPage(),
    controllerPage(),
    preflightPage(causes.map(({ cause }) => cause)),
    simulationPage(),
    capturedPage(),
    ...(await permissionFiles(packageVersion())),
  ];
}

function currentText(path: string): string | null {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return null;
  }
}

/** Generated pages of causes that no longer exist. */
function orphans(files: readonly GeneratedFile[]): readonly string[] {
  const known = new Set(files.map((file) => file.path));
  return readdirSync(join(ROOT, 'docs/causes'))
    .map((name) => `docs/causes/${name}`)
    .filter((path) => !known.has(path));
}

function write(file: GeneratedFile): void {
  mkdirSync(dirname(join(ROOT, file.path)), { recursive: true });
  writeFileSync(join(ROOT, file.path), file.text);
}

function isStale(file: GeneratedFile): boolean {
  return currentText(file.path) !== file.text;
}

async function check(causes: readonly LoadedCause[]): Promise<number> {
  const files = [indexFile(causes), ...(await otherFiles(causes))];
  const wrong = [...files.filter(isStale).map((file) => file.path), ...orphans(files)];
  for (const path of wrong) console.error(`${path} is stale; run: npm run generate`);
  return wrong.length === 0 ? 0 : 1;
}

async function generate(causes: readonly LoadedCause[]): Promise<number> {
  const index = indexFile(causes);
  if (isStale(index)) write(index);
  mkdirSync(join(ROOT, 'docs/causes'), { recursive: true });
  const files = await otherFiles(causes);
  for (const file of files.filter(isStale)) write(file);
  for (const path of orphans(files)) rmSync(join(ROOT, path));
  return 0;
}

async function main(argv: readonly string[]): Promise<number> {
  const causes = await loadAllCauses();
  const faults = anchorFaults(rowsOf(causes));
  for (const fault of faults) console.error(fault);
  // An index with such a sign loads nowhere, and this program could not write a better one.
  if (faults.length > 0) return 1;
  const code = await (argv.includes('--check') ? check(causes) : generate(causes));
  return Math.max(code, Number(process.exitCode ?? 0));
}

// import.meta.main is younger than the oldest Node.js that runs these sources.
if (process.argv[1] === import.meta.filename) process.exitCode = await main(process.argv.slice(2));
