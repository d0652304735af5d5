/** The messages of a program over its releases, the variants of one counted as one. */
import { foldKey, hasWords } from './fold.ts';
import { constantsOf, type GoMessage, type Level, messagesOf } from './go-messages.ts';
import { goFiles, moduleFolder } from './modules.ts';
import type { GoModule, Program, Release } from './programs.ts';
import { codesOf } from './sdk-codes.ts';

export interface Message {
  readonly key: string;
  /** As the newest release prints it. */
  readonly text: string;
  readonly levels: ReadonlySet<Level>;
  /** Where any release prints it. */
  readonly files: ReadonlySet<string>;
  /** By what they are called, oldest first. */
  readonly releases: ReadonlySet<string>;
}

interface Growing {
  key: string;
  text: string;
  levels: Set<Level>;
  files: Set<string>;
  releases: Set<string>;
}

/** Where the source of a module is. */
export type FolderOf = (module: GoModule) => Promise<string>;

/** Reads all releases of the program; what has no words of its own is left out. */
export async function messagesOfProgram(
  program: Program,
  folderOf: FolderOf = moduleFolder,
): Promise<readonly Message[]> {
  const known = new Map<string, Growing>();
  for (const release of program.releases) {
    for (const message of await messagesOfRelease(release, folderOf)) add(known, release, message);
  }
  return [...known.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

async function messagesOfRelease(
  { modules, models = [] }: Release,
  folderOf: FolderOf,
): Promise<readonly GoMessage[]> {
  const found = await Promise.all(
    modules.map(async (module) => {
      const files = goFiles(await folderOf(module), module.parts);
      const constants = constantsOf(files);
      return files.flatMap((file) => messagesOf(file, constants));
    }),
  );
  return [...found.flat(), ...models.flatMap(codesOf)];
}

/** Adds one message to those known, as a variant or a new one. */
function add(
  known: Map<string, Growing>,
  { version }: Pick<Release, 'version'>,
  { text, level, file }: GoMessage,
): void {
  const key = foldKey(text);
  if (!hasWords(key)) return;
  const message = known.get(key) ?? {
    key,
    text,
    levels: new Set(),
    files: new Set(),
    releases: new Set(),
  };
  message.text = text;
  message.levels.add(level);
  message.files.add(file);
  message.releases.add(version);
  known.set(key, message);
}
