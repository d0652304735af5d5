/**
 * `npm run executables [-- FOLDER] [--platform NAME…] [--releases URL]`: writes the program as one
 * file for each platform, with Node.js and all packages inside, into dist-executables/ or the
 * folder: the executable, its archive, its SBOM, their checksums, and with `--releases` the manifest
 * for krew. The same checkout gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Archive, krewManifest } from './executables/krew.ts';
import { noticesOf } from './executables/notices.ts';
import { bundle, bundleMain } from './executables/pieces.ts';
import { isHere, type Platform, PLATFORMS, platformOf } from './executables/platforms.ts';
import { bomOf, lockedBom } from './executables/sbom.ts';
import { type Program, seal } from './executables/seal.ts';
import { archiveOf, EXECUTABLE, file } from './image/entries.ts';
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

async function buildOne(platform: Platform, build: Build): Promise<Archive> {
  const node = await nodeOf(platform);
  const executable = await seal(platform, build, node.program);
  const place = join(build.folder, platform.name);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'rollcall'), executable, { mode: EXECUTABLE });
  const notices = noticesOf(build.packages, { name: 'Node.js', text: node.license });
  const name = `rollcall-${version()}-${platform.name}.tar.gz`;
  const archive = await archiveOf([
    file('rollcall', executable, EXECUTABLE),
    file(PLUGIN_COMPLETION, readFileSync(join(ROOT, 'bin', PLUGIN_COMPLETION)), EXECUTABLE),
    file('LICENSE', readFileSync(join(ROOT, 'LICENSE'))),
    file('THIRD-PARTY-LICENSES.txt', notices),
  ]);
  writeFileSync(join(build.folder, name), archive);
  const sbom = bomOf(lockedBom(), build.packages, platform);
  writeFileSync(join(build.folder, name.replace('.tar.gz', '.cdx.json')), sbom);
  say(`${platform.name}: ready`);
  return { platform, name, sha256: createHash('sha256').update(archive).digest('hex') };
}

/** @param releases where the archives will be; null for no krew manifest */
async function buildAll(
  folder: string,
  platforms: readonly Platform[],
  releases: string | null,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { pieces, packages } = await bundle();
  const build = { main: await bundleMain(), pieces, packages, folder };
  const archives: Archive[] = [];
  for (const platform of platforms) archives.push(await buildOne(platform, build));
  const sums = archives.map(({ sha256, name }) => `${sha256}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  if (releases !== null)
    writeFileSync(join(folder, 'rollcall.yaml'), krewManifest(archives, releases));
  console.log(sums.join('').trimEnd());
}

const { values, positionals } = parseArgs({
  options: { platform: { type: 'string', multiple: true }, releases: { type: 'string' } },
  allowPositionals: true,
});
await buildAll(
  resolve(positionals[0] ?? join(ROOT, 'dist-executables')),
  values.platform?.map(platformOf) ?? PLATFORMS,
  values.releases ?? null,
);
