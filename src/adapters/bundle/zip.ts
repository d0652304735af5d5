import type { RandomAccess } from './byte-source.ts';
import type { Session } from './session.ts';
import { quoted, shown, systemReason } from './words.ts';
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
  try {
    for await (const member of await listing(archive)) {
      if (!archive.session.countEntry()) return;
      yield member;
    }
  } catch (error) {
    sayStopped(archive, error);
  }
}

async function listing(archive: ZipArchive): Promise<AsyncIterable<ZipMember>> {
  try {
    return (await ZipDirectory.open(archive.access)).members();
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    archive.session.say(
      archive.locator,
      `${archive.locator} has no readable directory at its end, as when a zip file was cut ` +
        `(${shown(error.message)}); its entries were read in order as far as possible.`,
    );
    return salvagedMembers(archive.access);
  }
}

function sayStopped({ locator, session }: ZipArchive, error: unknown): void {
  const repair = locator.includes('!')
    ? ''
    : ` Run \`zip -FF ${quoted(locator)} --out repaired.zip\` for the rest.`;
  const what =
    error instanceof ZipDamage
      ? `The directory of ${locator} is damaged (${shown(error.message)}); the entries it lists ` +
        `up to there were read.${repair}`
      : `Reading ${locator} stopped: ${systemReason(error)}.`;
  session.say(locator, what);
}
