/** What is inside an executable, as CycloneDX: npm's account of the lock file without the rest. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { lockedPackages } from '../image/node.ts';
import type { Platform } from './platforms.ts';

const ROOT = join(import.meta.dirname, '../..');
const OUTPUT_MAX = 16 * 1024 * 1024;

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}

interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly {
    readonly ref: string;
    readonly dependsOn?: readonly string[];
  }[];
}

/** What npm says of everything that the lock file has. */
export function lockedBom(): Bom {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: OUTPUT_MAX });
  return JSON.parse(text) as Bom;
}

function refOf(path: string): string {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `${name}@${lockedPackages()[path]?.version ?? ''}`;
}

/** Advisories name Node.js by its CPE, not by the package that carries it. */
function nodeComponent(component: Component): object {
  const cpe = `cpe:2.3:a:nodejs:node.js:${component.version}:*:*:*:*:*:*:*`;
  return { ...component, type: 'platform', cpe };
}

/**
 * The same for the same lock file: without a number and a time of its own.
 *
 * @param packages what is inside, as paths of package-lock.json
 * @throws Error when npm does not know one of them
 */
export function bomOf(bom: Bom, packages: readonly string[], { nodePackage }: Platform): string {
  const node = refOf(`node_modules/${nodePackage}`);
  const inside = new Set([...packages.map(refOf), node]);
  const components = bom.components.filter((one) => inside.has(one['bom-ref']));
  if (components.length !== inside.size) throw new Error('the lock file lacks bundled packages');
  const program = bom.metadata.component;
  const { serialNumber: _number, metadata, ...rest } = bom;
  const { timestamp: _time, ...described } = metadata;
  const kept = new Set([program['bom-ref'], ...inside]);
  const written = {
    ...rest,
    metadata: { ...described, component: { ...program, type: 'application', name: 'rollcall' } },
    components: components.map((one) => (one['bom-ref'] === node ? nodeComponent(one) : one)),
    dependencies: bom.dependencies
      .filter(({ ref }) => kept.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((one) => kept.has(one)),
      })),
  };
  return `${JSON.stringify(written, null, 2)}\n`;
}
