import type { ByteReader, ByteSource, RandomAccess } from './byte-source.ts';
import { ByteReader as Reader, CHUNK_BYTES, FIRST_CHUNK_BYTES } from './byte-source.ts';
import { DecodedSource } from './decoded.ts';
import type { Session } from './session.ts';
import { quoted, shown, sized, systemReason } from './words.ts';
import { ZipDirectory } from './zip-directory.ts';
import type { ZipMember } from './zip-member.ts';
import { ZipDamage } from './zip-member.ts';
import { salvagedMembers } from './zip-salvage.ts';

/** A zip archive under its display name, and the account it is read on. */
export interface ZipArchive {
  readonly access: RandomAccess;
  readonly locator: string;
  readonly session: Session;
}

/**
 * Lists the entries of a zip archive: by its directory, or, when that is missing, by what stands
 * before each entry. Damage is told as a loss and ends the list.
 */
export async function* zipMembers(archive: ZipArchive): AsyncGenerator<ZipMember, void> {
  const { access, locator, session } = archive;
  const directory = await directoryOf(archive);
  const members = directory === null ? salvagedMembers(access) : directory.members();
  try {
    for await (const member of members) {
      if (session.spent || !session.countEntry()) return;
      yield member;
    }
  } catch (error) {
    if (error instanceof ZipDamage) {
      const what =
        `The directory of ${locator} is damaged (${shown(error.message)}); the entries it lists ` +
        `up to there were read. Run \`zip -FF ${quoted(locator)} --out repaired.zip\` for the rest.`;
      session.say(locator, what);
    } else sayUnreadable(archive, error);
  }
}

async function directoryOf(archive: ZipArchive): Promise<ZipDirectory | null> {
  try {
    return await ZipDirectory.open(archive.access);
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    archive.session.say(
      archive.locator,
      `${archive.locator} has no readable zip directory at its end, as when it was cut ` +
        `(${shown(error.message)}); its entries were read in order as far as they go.`,
    );
    return null;
  }
}

function sayUnreadable({ locator, session }: ZipArchive, error: unknown): void {
  session.say(locator, `Reading ${locator} stopped: ${systemReason(error)}.`);
}

/** The content of one entry, unpacked and checked; null when it cannot be found (told). */
export async function zipContent(
  archive: ZipArchive,
  member: ZipMember,
  locator: string,
): Promise<ByteSource | null> {
  try {
    const packed = new RangeSource(archive, locator, await member.start(), member.packedBytes);
    const content = unpacked(packed, member.method, locator, archive.session);
    if (member.crc32 === null) return content;
    const { crc32 } = await import('node:zlib');
    return new CheckedSource(content, member.crc32, crc32, () => sayWrongSum(archive, locator));
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    archive.session.say(locator, `${locator} was not read: ${shown(error.message)}.`);
    return null;
  }
}
