/** Bundles the program and the packages that it needs into pieces of CommonJS. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile, type Plugin, transform } from 'esbuild';
import { manifestPlugin } from '../package-manifest.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Nearly all pieces become ASCII, which V8 keeps and reads by bytes. */
const SMALL = {
  platform: 'node',
  target: 'node26',
  charset: 'ascii',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
} as const;

export interface Bundle {
  /** By name; `begin.js` and `scan-worker.js` are where the program and its thread begin. */
  readonly pieces: ReadonlyMap<string, string>;
  /** What is in them of packages, as paths of package-lock.json. */
  readonly packages: readonly string[];
}

const LOADER = 'const load = createRequire(import.meta.url);';

/** How files that load packages when they are called do it in the bundle. */
const LOADED = [
  // As pieces of their own.
  { file: /\/adapters\/aws\/sdk-packages\.ts$/, by: 'import' },
  // At once, in the piece of the file.
  { file: /\/adapters\/kubernetes\/undici\.ts$/, by: 'require' },
] as const;

const loadedPlugin: Plugin = {
  name: 'packages that are loaded when they are called',
  setup: (bundler) => {
    for (const { file, by } of LOADED)
      bundler.onLoad({ filter: file }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes(LOADER)) throw new Error(`${path} loads packages in another way`);
        const contents = text.replace(LOADER, '').replaceAll(/\bload\('/g, `${by}('`);
        return { contents, loader: 'ts' };
      });
  },
};

/** Bundles the program. */
export async function bundle(): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...SMALL,
    absWorkingDir: ROOT,
    entryPoints: {
      begin: 'src/apps/cli/begin.ts',
      'scan-worker': 'src/adapters/scanning/worker.ts',
    },
    outdir: ROOT,
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    // A module tells the bundler what it exports; the CommonJS beside it tells only when it runs.
    mainFields: ['module', 'main'],
    define: { 'import.meta.url': '"file:///rollcall/begin.js"' },
    plugins: [manifestPlugin, loadedPlugin],
  });
  const pieces = await Promise.all(
    outputFiles.map(async ({ path, text }) => [basename(path), await commonJs(text)] as const),
  );
  return { pieces: new Map(pieces), packages: packagesIn(metafile) };
}

async function commonJs(text: string): Promise<string> {
  // Without imports that are awaited, a piece loads another by `require`, when it is needed.
  const supported = { 'dynamic-import': false };
  return (await transform(text, { ...SMALL, format: 'cjs', supported })).code;
}

function packagesIn({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const found = inputs.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(found)].toSorted();
}

/** The script with which the executable begins. */
export async function bundleMain(): Promise<string> {
  const { outputFiles } = await build({
    ...SMALL,
    absWorkingDir: ROOT,
    entryPoints: ['src/apps/executable/main.ts'],
    write: false,
    bundle: true,
    format: 'cjs',
  });
  return outputFiles.map(({ text }) => text).join('');
}
