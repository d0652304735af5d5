/** What the package that people install says of itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const PROGRAM = 'rollcall.mjs';
/** kubectl asks a program of this name how to complete the words behind `kubectl rollcall`. */
export const PLUGIN_COMPLETION = 'kubectl_complete-rollcall';

type Manifest = Readonly<Record<string, unknown>>;

function checkoutManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

/** The version of Rollcall: package.json of the checkout is where it is changed. */
export function version(): string {
  return String(checkoutManifest()['version']);
}

/** The manifest of the package; parsers stay packages of their own, with their own licences. */
export function packedManifest(): string {
  const { name, description, license, engines, dependencies } = checkoutManifest();
  const packed = {
    name,
    version: version(),
    description,
    license,
    type: 'module',
    // kubectl finds its plugins by the name of the program.
    bin: { rollcall: PROGRAM, 'kubectl-rollcall': PROGRAM, [PLUGIN_COMPLETION]: PLUGIN_COMPLETION },
    files: [PROGRAM, 'chunks', PLUGIN_COMPLETION, 'CHANGELOG.md'],
    engines,
    dependencies,
  };
  return `${JSON.stringify(packed, null, 2)}\n`;
}

/** The program speaks of the package that it is in, not of the checkout. */
export const manifestPlugin: Plugin = {
  name: 'manifest of the package',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\/package\.json$/, namespace: 'file' }, ({ path }) =>
      path === join(ROOT, 'package.json')
        ? { contents: packedManifest(), loader: 'json' }
        : undefined,
    );
  },
};
