/**
 * `npm run build [-- FOLDER]`: makes the package that people install, in `dist/` or in the folder.
 *
 * Node.js does not strip types below `node_modules`, so the package carries JavaScript, split so
 * that causes still load one by one. Its manifest is written afresh: the Node.js binaries and the
 * scripts of the checkout are of no use to who installs it.
 */
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const PROGRAM = 'rollcall.mjs';
/** kubectl asks a program of this name how to complete the words behind `kubectl rollcall`. */
const PLUGIN_COMPLETION = 'kubectl_complete-rollcall';

type Manifest = Readonly<Record<string, unknown>>;

/** What the package says of itself; parsers stay packages of their own, with their own licences. */
function packedManifest(): string {
  const checkout: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { name, version, description, license, engines, dependencies } = checkout;
  const packed = {
    name,
    version,
    description,
    license,
    type: 'module',
    // kubectl finds its plugins by the name of the program.
    bin: { rollcall: PROGRAM, 'kubectl-rollcall': PROGRAM, [PLUGIN_COMPLETION]: PLUGIN_COMPLETION },
    engines,
    dependencies,
  };
  return `${JSON.stringify(packed, null, 2)}\n`;
}

/** The program speaks of the package that it is in, not of the checkout. */
const manifestPlugin: Plugin = {
  name: 'manifest of the package',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\/package\.json$/ }, () => ({
      contents: packedManifest(),
      loader: 'json',
    }));
  },
};

async function bundle(): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      rollcall: 'src/apps/cli/main.ts',
      'chunks/scan-worker': 'src/adapters/scanning/worker.ts',
    },
    outdir: DIST,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    plugins: [manifestPlugin],
    format: 'esm',
    platform: 'node',
    target: 'node22',
    charset: 'utf8',
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
}

function makeExecutable(): void {
  const path = join(DIST, PROGRAM);
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`);
  chmodSync(path, 0o755);
}

rmSync(DIST, { recursive: true, force: true });
await bundle();
makeExecutable();
writeFileSync(join(DIST, 'package.json'), packedManifest());
copyFileSync(join(ROOT, 'bin', PLUGIN_COMPLETION), join(DIST, PLUGIN_COMPLETION));
chmodSync(join(DIST, PLUGIN_COMPLETION), 0o755);
for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md'])
  copyFileSync(join(ROOT, name), join(DIST, name));
