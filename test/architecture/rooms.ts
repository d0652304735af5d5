/** Who may import whom: the rooms under `src`, the doors between them, and their packages. */
import { importsOf, target } from './imports.ts';
import {
  at,
  type Check,
  isTest,
  productFiles,
  type SourceFile,
  type Violation,
} from './sources.ts';

interface Room {
  readonly rooms: readonly string[];
  /** Packages, or `node:` for all built-ins, or `*` for every dependency. */
  readonly packages: readonly string[];
  /** Folders inside never import one another. */
  readonly apart?: true;
}

const CORE = ['evidence', 'domain', 'diagnosis', 'capacity', 'causes'];

const ROOMS: Readonly<Record<string, Room>> = {
  evidence: { rooms: [], packages: [] },
  domain: { rooms: ['evidence'], packages: [] },
  diagnosis: { rooms: ['evidence', 'domain'], packages: [] },
  capacity: { rooms: ['evidence', 'domain'], packages: [] },
  causes: { rooms: ['evidence', 'domain', 'diagnosis', 'capacity'], packages: [] },
  readers: { rooms: ['evidence', 'domain', 'capacity'], packages: ['js-yaml'] },
  engine: { rooms: [...CORE, 'readers'], packages: [] },
  ports: { rooms: ['evidence'], packages: [] },
  collection: {
    rooms: ['evidence', 'domain', 'diagnosis', 'readers', 'engine', 'ports', 'runtime'],
    // These compute and ask nothing.
    packages: ['node:crypto', 'node:net', 'node:zlib'],
  },
  runtime: { rooms: ['evidence', 'ports'], packages: [] },
  controllers: { rooms: [...CORE, 'engine', 'ports', 'runtime'], packages: [] },
  node: { rooms: [...CORE, 'ports', 'runtime'], packages: [] },
  manifests: { rooms: ['evidence', 'domain', 'collection', 'controllers', 'ports'], packages: [] },
  adapters: { rooms: ['evidence', 'ports', 'readers'], packages: ['node:', '*'], apart: true },
  sim: {
    rooms: [...CORE, 'readers', 'engine', 'ports', 'collection', 'runtime', 'controllers', 'node'],
    packages: [],
  },
  doors: { rooms: ['evidence', 'ports', 'sim'], packages: ['node:', '*'] },
  apps: {
    rooms: [
      ...CORE,
      'readers',
      'engine',
      'ports',
      'collection',
      'runtime',
      'controllers',
      'node',
      'manifests',
      'adapters',
      'sim',
      'doors',
    ],
    packages: ['node:', '*'],
  },
};

/** A test may also use the runner and what writes cases for it. */
const TEST_PACKAGES = ['node:', 'fast-check', 'ajv'];

export const rooms: Check = {
  title: 'imports go only where the room allows',
  run: (files) => productFiles(files).flatMap(violationsOf),
};

function violationsOf(file: SourceFile): readonly Violation[] {
  const name = roomOf(file.path);
  const room = ROOMS[name];
  if (room === undefined) {
    const what = `is in no room; move it under one of src/{${Object.keys(ROOMS).join(',')}}`;
    return [at(file, 1, what)];
  }
  return importsOf(file).flatMap((found) => {
    const path = target(file, found);
    const what =
      path === null
        ? packageViolation(name, room, found.specifier, isTest(file.path))
        : fileViolation(name, room, file.path, path);
    return what === null ? [] : [at(file, found.line, what)];
  });
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function packageViolation(
  name: string,
  room: Room,
  specifier: string | null,
  inTest: boolean,
): string | null {
  if (specifier === null) return 'imports a computed name; write the path as a string';
  const allowed = inTest ? [...room.packages, ...TEST_PACKAGES] : room.packages;
  const isBuiltIn = specifier.startsWith('node:');
  if (isBuiltIn && allowed.includes('node:')) return null;
  if (allowed.some((one) => (isBuiltIn ? one === specifier : isOf(one, specifier)))) return null;
  const list = room.packages.length === 0 ? 'none' : room.packages.join(', ');
  return `imports ${specifier}, but the packages of ${name} are ${list}; do it in adapters or apps and pass the value in`;
}

function isOf(name: string, specifier: string): boolean {
  return name === '*' || specifier === name || specifier.startsWith(`${name}/`);
}

function fileViolation(name: string, room: Room, from: string, to: string): string | null {
  if (!to.startsWith('src/')) {
    return name === 'apps' && to === 'package.json'
      ? null
      : `imports ${to}, which is outside src; move what it needs into a room`;
  }
  if (isTest(to) && !isTest(from))
    return `imports ${to}, which is for tests; move what it needs out`;
  const other = roomOf(to);
  if (other === name) return insideViolation(room, from, to);
  if (room.rooms.includes(other)) return writeViolation(name, to);
  const list = room.rooms.length === 0 ? 'no other room' : room.rooms.join(', ');
  return `imports ${to}, but ${name} may import ${list}; move the shared part down or pass it in`;
}

/** Whoever looks at a cluster cannot change it by mistake. */
function writeViolation(name: string, to: string): string | null {
  if (name !== 'collection' || !/^src\/ports\/(?:kube|aws)-writes\.ts$/.test(to)) return null;
  return `imports ${to}, but collection only reads; let runtime or a controller write`;
}

function insideViolation(room: Room, from: string, to: string): string | null {
  const cause = causeFolder(from);
  if (cause !== null && !to.startsWith(`${cause}/`))
    return `imports ${to}; a cause stands alone, so move what is shared to diagnosis or evidence`;
  const [mine, theirs] = [from.split('/')[2], to.split('/')[2]];
  if (room.apart === true && mine !== theirs)
    return `imports ${to}; adapters never import each other, so move what is shared to readers or ports`;
  return null;
}

/** The folder of a cause, or null for a file that belongs to the catalogue. */
function causeFolder(path: string): string | null {
  return /^src\/causes\/[^/]+\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;
}
