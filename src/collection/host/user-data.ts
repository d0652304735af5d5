import { gunzipSync } from 'node:zlib';
import { documentOf, type HostItem, isLoss } from './document.ts';
import { type Imds, imdsUserData } from './imds.ts';
import type { Reach } from './reach.ts';
import { readFileItems } from './read.ts';

const TEXT_BYTES_MAX = 4 * 1024 * 1024;

const FILE = {
  path: '/var/lib/cloud/instance/user-data.txt',
  name: 'cloud-init/user-data.txt',
  source: 'user-data',
  holdsSecrets: true,
} as const;

/** From its file, else from instance metadata, which every user may ask. */
export async function userDataItems(reach: Reach, imds: Imds): Promise<readonly HostItem[]> {
  const items = await readFileItems(reach, FILE);
  if (items.some((item) => !isLoss(item))) return items.map(unpacked);
  const document = imdsUserData(imds);
  return document === null ? items : [document];
}

/** cloud-init keeps user data as it was given, which may be gzip. */
function unpacked(item: HostItem): HostItem {
  if (isLoss(item)) return item;
  const [bytes] = item.chunks;
  if (bytes?.[0] !== 0x1f || bytes[1] !== 0x8b) return item;
  try {
    const text = gunzipSync(bytes, { maxOutputLength: TEXT_BYTES_MAX });
    return documentOf(item.locator, item.name, text, FILE);
  } catch {
    // What cannot be unpacked is given as it is, and the readers say that it is binary.
    return item;
  }
}
