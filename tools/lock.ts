/**
 * `npm run lock [-- FILE]`: completes the lock file with the packages of other platforms.
 *
 * npm leaves out an optional package that the registry in use does not carry, and `npm ci` then
 * refuses the lock file on every platform. Such a package is written down without a checksum: its
 * version is exact, and only the platform it is made for ever fetches it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Entry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, Entry>>;
}

const OS = new Set('aix android darwin freebsd linux openharmony sunos win32'.split(' '));
const CPU = new Set('arm arm64 ia32 ppc64 riscv64 s390x x64'.split(' '));

/**
 * The platform that a name such as `binding-linux-arm64-musl` ends in.
 *
 * @throws Error when the name tells none, so that nothing is fetched where it cannot run
 */
function platformOf(name: string): { os: string[]; cpu: string[]; libc?: string[] } {
  const words = name.split(/[-/]/);
  const os = words.filter((word) => OS.has(word));
  const cpu = words.filter((word) => CPU.has(word));
  if (os.length !== 1 || cpu.length !== 1)
    throw new Error(`${name} names no platform; add it by hand`);
  if (words.some((word) => word.startsWith('musl'))) return { os, cpu, libc: ['musl'] };
  return words.some((word) => word.startsWith('gnu')) ? { os, cpu, libc: ['glibc'] } : { os, cpu };
}

function missingOf(lock: Lock): readonly (readonly [string, Entry])[] {
  const paths = Object.keys(lock.packages);
  return Object.values(lock.packages).flatMap(({ dev, optionalDependencies = {} }) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !paths.some((path) => path.endsWith(`node_modules/${name}`)))
      .map(([name, version]) => {
        const entry = { version, ...(dev === true ? { dev } : {}), optional: true };
        return [`node_modules/${name}`, { ...entry, ...platformOf(name) }] as const;
      }),
  );
}

const path = process.argv[2] ?? join(import.meta.dirname, '../package-lock.json');
const lock: Lock = JSON.parse(readFileSync(path, 'utf8'));
const missing = missingOf(lock);
const sorted = [...Object.entries(lock.packages), ...missing].toSorted(([one], [other]) =>
  one.localeCompare(other, 'en'),
);
const complete = { ...lock, packages: Object.fromEntries(sorted) };
writeFileSync(path, `${JSON.stringify(complete, null, 2)}\n`);
process.stdout.write(`${missing.length} packages of other platforms were added\n`);
