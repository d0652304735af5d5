/**
 * `npm run image [-- FOLDER | --update-base]`: writes the container image of both architectures as
 * an OCI layout into dist-image/ or the folder, without a container daemon.
 *
 * The same checkout gives the same digest, which is printed. What is fetched is pinned:
 * package-lock.json has Node.js, tools/image/base-packages.json the Debian packages below it;
 * docs/decisions/0023-image-of-debian-packages.md says why.
 */
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Entry, file, folder, layerOf } from './image/entries.ts';
import { type Image, writeLayout } from './image/layout.ts';
import { nodeProgram } from './image/node.ts';
import { type Architecture, basePackages } from './image/packages.ts';
import { dependencies, program } from './image/program.ts';
import { updateBase } from './image/update-base.ts';
import { version } from './package-manifest.ts';
import { say } from './real-parts/command.ts';
import { cacheFolder } from './real-parts/places.ts';

const ROOT = join(import.meta.dirname, '..');
const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];
const STICKY = 0o1777;

/** What programs look for in any system: users, where names are resolved, folders to mount on. */
const SYSTEM: readonly Entry[] = [
  file('etc/passwd', 'root:x:0:0:root:/:/\nrollcall:x:65532:65532:rollcall:/tmp:/\n'),
  file('etc/group', 'root:x:0:\nrollcall:x:65532:\n'),
  file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
  ...['dev', 'proc', 'sys', 'run', 'var'].map((path) => folder(path)),
  folder('tmp', STICKY),
];

/** Builds the image of both architectures. @returns its digest */
export async function buildImage(output: string): Promise<string> {
  const cache = join(cacheFolder(), 'image');
  // The same in both: nothing of it is compiled for a machine.
  const shared = [await layerOf(dependencies()), await layerOf(await program())];
  const images: Image[] = [];
  for (const architecture of ARCHITECTURES) {
    const base = await layerOf([...(await basePackages(cache, architecture)), ...SYSTEM]);
    const node = await layerOf(await nodeProgram(cache, architecture));
    images.push({ architecture, layers: [base, node, ...shared] });
    say(`${architecture}: ready`);
  }
  rmSync(output, { recursive: true, force: true });
  return writeLayout(output, images, version());
}

async function main([first]: readonly string[]): Promise<void> {
  if (first === '--update-base') await updateBase(ARCHITECTURES);
  else console.log(await buildImage(resolve(first ?? join(ROOT, 'dist-image'))));
}

// import.meta.main is younger than the oldest Node.js that runs these sources.
if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
