/** The built package, and the packages that it depends on at the versions of the lock file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../real-parts/command.ts';
import { type Entry, entriesUnder, EXECUTABLE, file, link } from './entries.ts';
import { type LockedPackages, lockedPackages } from './node.ts';

const ROOT = join(import.meta.dirname, '../..');
const APP = 'app';

/** Where a package that another one asks for is found: beside it, or above. */
function placeOf(packages: LockedPackages, from: string, name: string): string | null {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const path = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (base === '') return null;
  }
}

/** Paths of all packages that the program needs, each once. */
export function neededPackages(packages: LockedPackages): readonly string[] {
  const needed = new Set<string>();
  const visit = (from: string): void => {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      const path = placeOf(packages, from, name);
      if (path === null) throw new Error(`the lock file has no ${name}, which ${from} asks for`);
      if (needed.has(path)) continue;
      needed.add(path);
      visit(path);
    }
  };
  visit('');
  return [...needed].toSorted();
}

/** Types and source maps are of no use to a program that runs. */
function isOfUse(path: string): boolean {
  return !/(?:\.d\.[cm]?ts|\.map|\/dist-types|\/\.bin|\/\.package-lock\.json)$/.test(path);
}

/** What is below a package is a package of its own. */
function isOwn(place: string): (path: string) => boolean {
  return (path) => isOfUse(path) && path !== `${place}/node_modules`;
}

/** The dependencies as they are installed in the checkout. */
export function dependencies(): readonly Entry[] {
  return neededPackages(lockedPackages()).flatMap((path) => {
    const place = `${APP}/${path}`;
    return entriesUnder(join(ROOT, path), place, isOwn(place));
  });
}

/** What images of nidhogg and of the Node Readiness Controller are started by. */
const FOREIGN_START: readonly Entry[] = [
  file(
    `${APP}/manager.mjs`,
    "#!/usr/local/bin/node\nprocess.argv.splice(2, 0, '__manager');\nawait import('./rollcall.mjs');\n",
    EXECUTABLE,
  ),
  link('manager', `${APP}/manager.mjs`),
];

/** The package that `npm run build` makes. */
export async function program(): Promise<readonly Entry[]> {
  const room = mkdtempSync(join(tmpdir(), 'rollcall-image-'));
  try {
    const dist = join(room, 'dist');
    await runCommand({ program: process.execPath, args: [join(ROOT, 'tools/build.ts'), dist] });
    return [...entriesUnder(dist, APP), ...FOREIGN_START];
  } finally {
    rmSync(room, { recursive: true, force: true });
  }
}
