import type { ByteSource, RandomAccess } from './byte-source.ts';
import { ByteReader } from './byte-source.ts';
import type { EvidenceDocument } from './contract.ts';
import { DocumentBytes } from './document.ts';
import type { MemberName } from './member-name.ts';
import { tarMemberName, zipMemberName } from './member-name.ts';
import type { CodecName, UnsupportedName } from './recognise.ts';
import { recognise, SNIFF_BYTES } from './recognise.ts';
import type { Session } from './session.ts';
import type { SkippedKind } from './skipped.ts';
import { Skipped } from './skipped.ts';
import { quoted, shown, sized } from './words.ts';

/** Where some bytes stand, and in how many archives and compressions they already are. */
export interface Place {
  readonly locator: string;
  readonly container: string | null;
  readonly modifiedMs: number | null;
  /** The archives around these bytes. */
  readonly archives: number;
  /** The compressions around these bytes since the last archive. */
  readonly codecs: number;
  /** The same bytes at any position, when they are a file on disk. */
  readonly access: RandomAccess | null;
  readonly session: Session;
}

type Documents = AsyncGenerator<EvidenceDocument, void>;

/** An archive in an archive is opened, one inside that is not. */
const ARCHIVES_MAX = 2;
/** Downloads are now and then compressed twice; three times is a bomb or an accident. */
const CODECS_MAX = 2;

/**
 * Opens whatever the bytes are, and yields the documents in them. What reads containers is loaded
 * when there is one: most inputs are a single plain log.
 */
export async function* documentsIn(reader: ByteReader, place: Place): Documents {
  const start = await reader.peek(SNIFF_BYTES);
  if (start.length === 0 && reader.cut) return;
  const format = recognise(start);
  if (format.kind === 'plain') yield* plainDocument(reader, place);
  else if (format.kind === 'unsupported') sayUnsupported(format.name, place);
  else if (isTooDeep(format.kind, place)) sayTooDeep(`${format.name} ${format.kind}`, place);
  else if (format.kind === 'compression') yield* decodedDocuments(format.name, reader, place);
  else if (format.name === 'tar') yield* tarDocuments(reader, place);
  else yield* zipDocuments(reader, place);
}

function isTooDeep(kind: 'archive' | 'compression', { archives, codecs }: Place): boolean {
  return kind === 'archive' ? archives >= ARCHIVES_MAX : codecs >= CODECS_MAX;
}

async function* plainDocument(reader: ByteReader, place: Place): Documents {
  const { locator, container, modifiedMs } = place;
  const chunks = new DocumentBytes(locator, reader);
  try {
    yield { locator, container, modifiedMs, chunks };
  } finally {
    chunks.pass();
  }
}

async function* decodedDocuments(codec: CodecName, reader: ByteReader, place: Place): Documents {
  const { DecodedSource } = await import('./decoded.ts');
  const decoded = new DecodedSource(codec, reader, place.locator, place.session);
  const container = place.container ?? place.locator;
  const inside = { ...place, container, codecs: place.codecs + 1, access: null };
  try {
    yield* documentsIn(new ByteReader(decoded), inside);
  } finally {
    await decoded.close();
  }
}

async function* tarDocuments(reader: ByteReader, place: Place): Documents {
  const { tarMembers } = await import('./tar.ts');
  const skipped = new Skipped();
  for await (const member of tarMembers(reader, place.locator, place.session)) {
    const name = admitted(member, tarMemberName(member.name), skipped);
    if (name === null) continue;
    yield* documentsIn(new ByteReader(member.body), insideOf(place, name, member.modifiedMs));
  }
  skipped.say(place.session, place.locator);
}

async function* zipDocuments(reader: ByteReader, place: Place): Documents {
  const { locator, session } = place;
  const access = place.access ?? (await heldInMemory(reader, place));
  if (access === null) return;
  if (place.access !== null) session.expectRead(access.sizeBytes);
  const { zipMembers } = await import('./zip.ts');
  const { zipContent } = await import('./zip-content.ts');
  const archive = { access, locator, session };
  const skipped = new Skipped();
  for await (const member of zipMembers(archive)) {
    const name = admitted(member, zipMemberName(member.name), skipped);
    if (name === null) continue;
    const inside = insideOf(place, name, member.modifiedMs);
    yield* contentDocuments(await zipContent(archive, member, inside.locator), inside);
  }
  skipped.say(session, locator);
}

async function* contentDocuments(content: ByteSource | null, place: Place): Documents {
  if (content === null) return;
  try {
    yield* documentsIn(new ByteReader(content), place);
  } finally {
    await content.close();
  }
}

/** The display name of an entry that is to be read; null for one that is not. */
function admitted(
  member: { readonly kind: 'file' | 'nothing' | SkippedKind; readonly name: string },
  judged: MemberName,
  skipped: Skipped,
): string | null {
  if (member.kind === 'nothing') return null;
  if (judged.verdict !== 'usable') skipped.add(judged.verdict, member.name);
  else if (member.kind === 'file') return shown(judged.name);
  else skipped.add(member.kind, judged.name);
  return null;
}

function insideOf(place: Place, name: string, modifiedMs: number | null): Place {
  return {
    locator: `${place.locator}!${name}`,
    container: place.container ?? place.locator,
    modifiedMs,
    archives: place.archives + 1,
    codecs: 0,
    access: null,
    session: place.session,
  };
}

/** A zip that is no file has its directory, which is its end, only once all of it is here. */
async function heldInMemory(reader: ByteReader, place: Place): Promise<RandomAccess | null> {
  const bytesMax = place.session.limits.nestedBytesMax;
  const held = await reader.read(bytesMax + 1);
  if (held.length > bytesMax) {
    const what = `${place.locator} is a zip archive of more than ${sized(bytesMax)} `;
    const remedy = place.locator.includes('!')
      ? 'inside another container; unpack that and give the folder.'
      : 'that comes as a stream; save it in a file and give the path of that.';
    place.session.say(place.locator, `${what}${remedy}`);
    return null;
  }
  return {
    sizeBytes: held.length,
    readAt: async (position, bytes) => held.subarray(position, position + bytes),
  };
}

function sayTooDeep(what: string, { locator, session }: Place): void {
  session.say(
    locator,
    `${locator} is a ${what} nested too deep; it was not read. ` +
      'Unpack the outer archive and give the folder.',
  );
}

const CONVERSIONS: Readonly<Record<UnsupportedName, (path: string) => string>> = {
  bzip2: (path) => `bzip2 -dc ${path} | rollcall diagnose -`,
  compress: (path) => `gzip -dc ${path} | rollcall diagnose -`,
  LZ4: (path) => `lz4 -dc ${path} | rollcall diagnose -`,
  '7-Zip': (path) => `7z x ${path} -ounpacked && rollcall diagnose unpacked/`,
  RAR: (path) => `unrar x ${path} unpacked/ && rollcall diagnose unpacked/`,
};

function sayUnsupported(format: UnsupportedName, { locator, session }: Place): void {
  const path = locator === '-' ? 'FILE' : quoted(locator);
  const remedy = locator.includes('!')
    ? 'Unpack the outer archive, unpack this one, and give the folder.'
    : `Run \`${CONVERSIONS[format](path)}\`.`;
  session.say(
    locator,
    `${locator} is ${format} content, which Rollcall does not support. ${remedy}`,
  );
}
