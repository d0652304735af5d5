/** The licences of what is inside an executable, each text once. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockedPackages } from '../image/node.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Notice {
  readonly name: string;
  readonly text: string;
}

/** @throws Error for a package without a licence */
function noticeOf(path: string): Notice {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const [file] = globSync('{LICENSE,LICENCE,license}{,.md,.txt}', { cwd: join(ROOT, path) });
  const text = file === undefined ? declared(path) : readFileSync(join(ROOT, path, file), 'utf8');
  return { name: `${name} ${lockedPackages()[path]?.version ?? ''}`, text: text.trim() };
}

/** Some packages only name their licence. */
function declared(path: string): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as {
    readonly license?: string;
  };
  if (manifest.license === undefined) throw new Error(`${path} has no licence`);
  return `Licensed under ${manifest.license}.`;
}

/**
 * @param packages what is inside, as paths of package-lock.json
 * @param node the licence of Node.js, which has those of the libraries in it
 */
export function noticesOf(packages: readonly string[], node: Notice): string {
  const notices = [...packages.map(noticeOf), node];
  const texts = Map.groupBy(notices, ({ text }) => text);
  const parts = [...texts].map(
    ([text, those]) => `${those.map(({ name }) => name).join('\n')}\n\n${text}\n`,
  );
  return `The executable of Rollcall contains these works, under these licenses.\n\n${parts.join(`\n${'-'.repeat(72)}\n\n`)}`;
}
