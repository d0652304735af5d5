/** Builds the programs that are written in Go, from modules whose content is pinned. */
import { existsSync, linkSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand, say } from './command.ts';
import { artefacts, programFolder } from './places.ts';
import { type GoPart, recipeFolder } from './recipes.ts';

/** Where the Go project's own archive is unpacked. */
const USUAL_GO = '/usr/local/go/bin/go';

/** Two at once leave a machine of two cores usable, and stay under 4 GiB. */
const PACKAGES_AT_ONCE = '2';

const PROGRESS_EVERY_MS = 20_000;

function goProgram(): string {
  return existsSync(USUAL_GO) ? USUAL_GO : 'go';
}

/** The caller's own flags must neither unpin a version nor write into the checkout. */
const BUILD_ENVIRONMENT = {
  CGO_ENABLED: '0',
  GOFLAGS: '-mod=readonly -buildvcs=false -trimpath',
  GOWORK: 'off',
};

function linkerFlags({ variables }: GoPart): string {
  const set = Object.entries(variables).map(([variable, text]) => `-X ${variable}=${text}`);
  return ['-s -w', ...set].join(' ');
}

function buildArguments(part: GoPart, output: string): readonly string[] {
  const where = ['-C', recipeFolder(part)];
  const how = ['-v', '-p', PACKAGES_AT_ONCE, '-ldflags', linkerFlags(part)];
  return ['build', ...where, ...how, '-o', output, part.target];
}

/**
 * Builds a part under a temporary name and puts it in place once it is whole.
 *
 * @param room a folder of this run's own, on the file system of the cache
 * @throws Error with the end of what the compiler said
 */
export async function buildGoPart(cache: string, part: GoPart, room: string): Promise<void> {
  const output = join(room, part.name);
  const progress = countPackages(part.name);
  try {
    const args = buildArguments(part, output);
    await runCommand({
      program: goProgram(),
      args,
      env: BUILD_ENVIRONMENT,
      onLine: progress.onLine,
    });
  } finally {
    progress.stop();
  }
  mkdirSync(programFolder(cache), { recursive: true });
  for (const [index, path] of artefacts(cache, part).entries()) {
    const name = `${output}.${index}`;
    linkSync(output, name);
    renameSync(name, path);
  }
}

interface Progress {
  readonly onLine: (line: string) => void;
  readonly stop: () => void;
}

/** `go build -v` names each package that it compiles; what is cached already it passes over. */
function countPackages(name: string): Progress {
  let fetched = 0;
  let compiled = 0;
  const timer = setInterval(
    () => say(`${name}: ${fetched} modules fetched, ${compiled} packages compiled`),
    PROGRESS_EVERY_MS,
  );
  return {
    onLine: (line) => {
      if (line.startsWith('go: downloading')) fetched += 1;
      else compiled += 1;
    },
    stop: () => clearInterval(timer),
  };
}
