/**
 * `npm run executables [-- FOLDER] [--platform NAME…] [--releases URL] [--no-archives]`: writes the program as one
 * file for each platform, with Node.js and all packages inside, into dist-executables/ or the
 * folder: the executable, its archive, its SBOM, their checksums, and with `--releases` the manifest
 * for krew. `--no-archives` writes executables and SBOMs only. The same checkout gives the same
 * bytes.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Archive, krewManifest } from './executables/krew.ts';
import { noticesOf } from './executables/notices.ts';
import { bundle, bundleMain } from './executables/pieces.ts';
import { isHere, type Platform, PLATFORMS, platformOf } from './executables/platforms.ts';
import { bomOf, lockedBom } from './executables/sbom.ts';
import { type Program, seal } from './executables/seal.ts';
import { archiveOf, entriesUnder, EXECUTABLE } from './image/entries.ts';
import { lockedFiles, NODE_FILES } from './image/node.ts';
import { PLUGIN_COMPLETION, version } from './package-manifest.ts';
import { say } from './real-parts/command.ts';
import { cacheFolder } from './real-parts/places.ts';

const ROOT = join(import.meta.dirname, '..');

interface NodeFiles {
  readonly program: Uint8Array;
  readonly license: string;
}

/** The Node.js of this machine is the one that npm installed; others are fetched and compared. */
async function nodeOf(platform: Platform): Promise<NodeFiles> {
  const files = isHere(platform)
    ? installedFiles(platform)
    : await lockedFiles(
        join(cacheFolder(), 'image'),
        platform.nodePackage,
        Object.values(NODE_FILES),
      );
  const program = files.get(NODE_FILES.program);
  const license = files.get(NODE_FILES.license);
  if (program === undefined || license === undefined)
    throw new Error(`${platform.nodePackage} has no Node.js`);
  return { program, license: license.toString('utf8') };
}

function installedFiles({ nodePackage }: Platform): ReadonlyMap<string, Buffer> {
  const folder = join(ROOT, 'node_modules', nodePackage);
  return new Map(Object.values(NODE_FILES).map((path) => [path, readFileSync(join(folder, path))]));
}

interface Build extends Program {
  readonly packages: readonly string[];
  readonly folder: string;
}

/** Writes the folder of a platform, and its SBOM beside it. @returns the name of both */
async function buildOne(platform: Platform, build: Build): Promise<string> {
  const node = await nodeOf(platform);
  const executable = await seal(platform, build, node.program);
  const notices = noticesOf(build.packages, { name: 'Node.js', text: node.license });
  const name = `rollcall-${version()}-${platform.name}`;
  const place = join(build.folder, name);
  mkdirSync(place);
  writeFileSync(join(place, 'rollcall'), executable, { mode: EXECUTABLE });
  writeFileSync(join(place, 'THIRD-PARTY-LICENSES.txt'), notices);
  copyFileSync(join(ROOT, 'LICENSE'), join(place, 'LICENSE'));
  copyFileSync(join(ROOT, 'bin', PLUGIN_COMPLETION), join(place, PLUGIN_COMPLETION));
  const sbom = bomOf(lockedBom(), build.packages, platform);
  writeFileSync(join(build.folder, `${name}.cdx.json`), sbom);
  say(`${platform.name}: ready`);
  return name;
}

async function archived(platform: Platform, folder: string, place: string): Promise<Archive> {
  const bytes = await archiveOf(entriesUnder(join(folder, place), '.'));
  const name = `${place}.tar.gz`;
  writeFileSync(join(folder, name), bytes);
  return { platform, name, sha256: createHash('sha256').update(bytes).digest('hex') };
}

interface Wanted {
  readonly folder: string;
  readonly platforms: readonly Platform[];
  readonly hasArchives: boolean;
  /** Where the archives will be; null for no krew manifest. */
  readonly releases: string | null;
}

async function buildAll({ folder, platforms, hasArchives, releases }: Wanted): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { pieces, packages } = await bundle();
  const build = { main: await bundleMain(), pieces, packages, folder };
  const archives: Archive[] = [];
  for (const platform of platforms) {
    const place = await buildOne(platform, build);
    if (hasArchives) archives.push(await archived(platform, folder, place));
  }
  if (!hasArchives) return;
  const sums = archives.map(({ sha256, name }) => `${sha256}  ${name}\n`).join('');
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  if (releases !== null)
    writeFileSync(join(folder, 'rollcall.yaml'), krewManifest(archives, releases));
  console.log(sums.trimEnd());
}

const { values, positionals } = parseArgs({
  options: {
    platform: { type: 'string', multiple: true },
    releases: { type: 'string' },
    'no-archives': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
await buildAll({
  folder: resolve(positionals[0] ?? join(ROOT, 'dist-executables')),
  platforms: values.platform?.map(platformOf) ?? PLATFORMS,
  hasArchives: !values['no-archives'],
  releases: values.releases ?? null,
});
