import { EVIDENCE_VERSION } from '../../readers/evidence-version.ts';
import type { Host } from '../../ports/host.ts';
import { documentOf, type HostItem, lossOf } from './document.ts';
import { type Imds, imdsInstanceId, imdsValue } from './imds.ts';
import { refusal } from './reach.ts';

/** Where a machine knows its instance id without asking; a cloned disk keeps the last one's. */
const ID_FILES: readonly string[] = [
  '/sys/class/dmi/id/board_asset_tag',
  '/var/lib/cloud/data/instance-id',
];
const VENDOR_FILE = '/sys/class/dmi/id/sys_vendor';
const ID_BYTES_MAX = 256;

/** The text of a small file without its ends, null when it cannot be read. */
export async function shortText(
  host: Host,
  path: string,
  bytesMax: number,
): Promise<string | null> {
  try {
    return new TextDecoder().decode(await host.readFile(path, bytesMax)).trim();
  } catch (error) {
    refusal(error);
    return null;
  }
}

/** The documents that say which machine this is, or a loss that says why none does. */
export async function machineItems(host: Host, imds: Imds): Promise<readonly HostItem[]> {
  const asked = imdsInstanceId(imds);
  const found =
    asked === null
      ? await storedInstanceId(host)
      : { id: asked, locator: 'http://169.254.169.254/latest/meta-data/instance-id' };
  const names = namesDocument(host, imds, found?.id ?? null);
  if (found !== null) return [named(found.locator, found.id), names];
  const vendor = await shortText(host, VENDOR_FILE, ID_BYTES_MAX);
  const what = vendor?.startsWith('Amazon EC2') === true ? unnamed() : foreign(host.hostname());
  return [lossOf('this machine', what), names];
}

interface StoredId {
  readonly id: string;
  readonly locator: string;
}

async function storedInstanceId(host: Host): Promise<StoredId | null> {
  for (const locator of ID_FILES) {
    const id = await shortText(host, locator, ID_BYTES_MAX);
    if (id !== null && /^i-[0-9a-f]{8,17}$/.test(id)) return { id, locator };
  }
  return null;
}

/** Every name that the machine has for itself, so that evidence under each is known to be its. */
function namesDocument(host: Host, imds: Imds, instanceId: string | null): HostItem {
  const names = {
    apiVersion: EVIDENCE_VERSION,
    kind: 'MachineNames',
    instanceId,
    hostname: host.hostname(),
    localHostname: imdsValue(imds, 'meta-data/local-hostname'),
    privateIp: imdsValue(imds, 'meta-data/local-ipv4'),
  };
  return documentOf('machine names', 'rollcall/machine-names.json', `${JSON.stringify(names)}\n`);
}

function named(locator: string, id: string): HostItem {
  return documentOf(locator, 'system/instance-id.txt', `${id}\n`);
}

function unnamed(): string {
  return 'This is an EC2 instance, but neither instance metadata nor its firmware gives the instance id.';
}

function foreign(hostname: string): string {
  return `This machine (${hostname}) does not look like an EC2 instance: neither instance metadata nor its firmware gives an instance id.`;
}
