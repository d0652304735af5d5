/**
 * `npm run build [-- FOLDER]`: makes the package that people install, in `dist/` or in the folder.
 *
 * Node.js does not strip types below `node_modules`, so the package carries JavaScript, split so
 * that causes still load one by one. Its manifest is written afresh: the Node.js binaries and the
 * scripts of the checkout are of no use to who installs it.
 */
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { manifestPlugin, packedManifest, PLUGIN_COMPLETION } from './package-manifest.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'));
const PROGRAM = 'rollcall.mjs';

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
    // A source with one other letter takes V8 two bytes for each of its letters, as long as it runs.
    charset: 'ascii',
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
