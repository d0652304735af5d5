/** The life of elastic network interfaces and of the addresses on them. */
import { PREFIX_ADDRESSES } from '../../../capacity/eni.ts';
import { type Account, drawMs } from '../account.ts';
import type { AddressBook } from '../addresses.ts';
import { refused } from '../refusal.ts';
import type { Attachment, NetworkInterface, Subnet } from '../state.ts';
import { typeLimits } from './types.ts';

export interface NewInterface {
  readonly subnetId: string;
  readonly description?: string;
  readonly groupIds: readonly string[];
  /** The primary address; any free one unless given. */
  readonly address?: string | undefined;
  /** How many secondary addresses besides. */
  readonly addressCount?: number;
  readonly prefixCount?: number;
  readonly interfaceType?: NetworkInterface['interfaceType'];
}

/** @throws RefusedError when there is no such subnet */
export function subnetOf(account: Account, subnetId: string): Subnet {
  const subnet = account.subnets.get(subnetId);
  if (subnet !== undefined) return subnet;
  throw refused('InvalidSubnetID.NotFound', `The subnet ID '${subnetId}' does not exist`);
}

function bookOf(account: Account, subnetId: string): AddressBook {
  const book = account.books.get(subnetId);
  if (book === undefined) throw new Error(`${subnetId} has no addresses`);
  return book;
}

/** @throws RefusedError when there is no such interface */
export function interfaceOf(account: Account, networkInterfaceId: string): NetworkInterface {
  const found = account.interfaces.get(networkInterfaceId);
  if (found !== undefined) return found;
  const message = `The networkInterface ID '${networkInterfaceId}' does not exist`;
  throw refused('InvalidNetworkInterfaceID.NotFound', message);
}

/** @throws RefusedError when the address that was asked for is none of the subnet's, or in use */
function checkAddress(account: Account, { subnetId, address }: NewInterface): void {
  if (address === undefined) return;
  const book = bookOf(account, subnetId);
  if (!book.has(address)) {
    const message = `Address ${address} does not fall within the subnet's address range`;
    throw refused('InvalidParameterValue', message);
  }
  if (!book.isFree(address))
    throw refused('InvalidIPAddress.InUse', `Address ${address} is in use.`);
}

/** @throws RefusedError when the subnet cannot give all of it; nothing is taken then */
function takeAll(
  account: Account,
  wanted: NewInterface,
): Pick<NetworkInterface, 'addresses' | 'prefixes'> {
  const { subnetId, address, addressCount = 0, prefixCount = 0 } = wanted;
  checkAddress(account, wanted);
  const book = bookOf(account, subnetId);
  const least = 1 + addressCount + prefixCount * PREFIX_ADDRESSES;
  if (book.free < least) {
    const message =
      `There are not enough free addresses in subnet '${subnetId}' ` +
      'to satisfy the requested number of instances.';
    throw refused('InsufficientFreeAddressesInSubnet', message);
  }
  const prefixes = takePrefixes(account, subnetId, prefixCount);
  const primary = address ?? book.takeAny(account.kernel.random('aws/addresses')) ?? '';
  book.take(primary);
  return { prefixes, addresses: [primary, ...takeAddresses(account, subnetId, addressCount)] };
}

/**
 * Takes addresses one by one, all or none.
 *
 * @throws RefusedError InsufficientFreeAddressesInSubnet
 */
function takeAddresses(account: Account, subnetId: string, count: number): readonly string[] {
  const book = bookOf(account, subnetId);
  if (book.free < count) {
    const message =
      'The specified subnet does not have enough free addresses to satisfy the request.';
    throw refused('InsufficientFreeAddressesInSubnet', message);
  }
  const random = account.kernel.random('aws/addresses');
  return Array.from({ length: count }, () => book.takeAny(random) ?? '');
}

/** @throws RefusedError InsufficientCidrBlocks when no 16 addresses in a row are free */
function takePrefixes(account: Account, subnetId: string, count: number): readonly string[] {
  const book = bookOf(account, subnetId);
  const random = account.kernel.random('aws/addresses');
  const taken: string[] = [];
  for (let index = 0; index < count; index++) {
    const prefix = book.takePrefix(random);
    if (prefix === null) {
      for (const one of taken) book.releasePrefix(one);
      const message = `The specified subnet does not have enough free cidr blocks to satisfy the request.`;
      throw refused('InsufficientCidrBlocks', message);
    }
    taken.push(prefix);
  }
  return taken;
}

function macAddress(account: Account): string {
  const digits = account.kernel.random('aws/ids').hex(10);
  return `02:${(digits.match(/../g) ?? []).join(':')}`;
}

/** @throws RefusedError when the subnet is unknown or full */
export function createInterface(account: Account, wanted: NewInterface): NetworkInterface {
  const subnet = subnetOf(account, wanted.subnetId);
  const taken = takeAll(account, wanted);
  const made: NetworkInterface = {
    networkInterfaceId: account.ids.resource('eni'),
    subnetId: subnet.subnetId,
    description: wanted.description ?? '',
    ...taken,
    groupIds: wanted.groupIds,
    status: 'available',
    attachment: null,
    macAddress: macAddress(account),
    publicIp: null,
    sourceDestCheck: true,
    interfaceType: wanted.interfaceType ?? 'interface',
  };
  account.interfaces.set(made.networkInterfaceId, made, account.kernel.nowMs());
  return made;
}

/** Deletes an interface whatever its state and gives its addresses back. */
export function dropInterface(account: Account, networkInterfaceId: string): void {
  const found = account.interfaces.get(networkInterfaceId);
  if (found === undefined) return;
  const book = bookOf(account, found.subnetId);
  for (const address of found.addresses) book.release(address);
  for (const prefix of found.prefixes) book.releasePrefix(prefix);
  account.interfaces.delete(networkInterfaceId, account.kernel.nowMs());
  account.tags.delete(networkInterfaceId, account.kernel.nowMs());
}

/** @throws RefusedError when it is in use, as only free interfaces can be deleted */
export function deleteInterface(account: Account, networkInterfaceId: string): void {
  const { status } = interfaceOf(account, networkInterfaceId);
  if (status !== 'available') {
    const message = `Network interface '${networkInterfaceId}' is currently in use.`;
    throw refused('InvalidParameterValue', message);
  }
  dropInterface(account, networkInterfaceId);
}

export function change(
  account: Account,
  networkInterfaceId: string,
  changed: Partial<NetworkInterface>,
): void {
  account.interfaces.change(networkInterfaceId, account.kernel.nowMs(), (before) => ({
    ...before,
    ...changed,
  }));
}

export function interfacesOf(account: Account, instanceId: string): readonly NetworkInterface[] {
  return interfacesAt(account, instanceId, Infinity);
}

export function interfacesAt(
  account: Account,
  instanceId: string,
  atMs: number,
): readonly NetworkInterface[] {
  const found: NetworkInterface[] = [];
  for (const id of account.attached.get(instanceId) ?? []) {
    const one = account.interfaces.at(id, atMs);
    if (one?.attachment?.instanceId === instanceId) found.push(one);
  }
  if (found.length < 2) return found;
  return found.toSorted(
    (a, b) => (a.attachment?.deviceIndex ?? 0) - (b.attachment?.deviceIndex ?? 0),
  );
}

/** An attachment takes about so long until the interface is `in-use` (VPC CNI: about 10 s in all). */
const ATTACH_MEDIAN_MS = 1500;
const DETACH_MEDIAN_MS = 6000;

export interface Attaching {
  readonly networkInterfaceId: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
  readonly deleteOnTermination: boolean;
  /** False when it is part of a launch, where it is in use from the first moment. */
  readonly isSlow: boolean;
}

export function attach(account: Account, wanted: Attaching): Attachment {
  const { networkInterfaceId, instanceId, deviceIndex, deleteOnTermination, isSlow } = wanted;
  const attachment: Attachment = {
    attachmentId: account.ids.resource('eni-attach'),
    instanceId,
    deviceIndex,
    deleteOnTermination,
    attachedMs: account.kernel.nowMs(),
  };
  change(account, networkInterfaceId, { status: isSlow ? 'attaching' : 'in-use', attachment });
  const ids = account.attached.get(instanceId) ?? [];
  account.attached.set(instanceId, [...ids, networkInterfaceId]);
  if (isSlow) {
    settle(account, networkInterfaceId, ATTACH_MEDIAN_MS, 'attaching', () =>
      change(account, networkInterfaceId, { status: 'in-use' }),
    );
  }
  return attachment;
}

function settle(
  account: Account,
  networkInterfaceId: string,
  medianMs: number,
  awaited: NetworkInterface['status'],
  done: () => void,
): void {
  const drawnMs = drawMs(account, 'aws/interfaces', medianMs, 0.4);
  const stuckMs =
    awaited === 'detaching' ? account.stuck.detachUntilMs - account.kernel.nowMs() : 0;
  account.kernel.after(Math.max(drawnMs, stuckMs), () => {
    if (account.interfaces.get(networkInterfaceId)?.status === awaited) done();
  });
}

export function detach(account: Account, networkInterfaceId: string): void {
  const { attachment } = interfaceOf(account, networkInterfaceId);
  if (attachment === null) return;
  change(account, networkInterfaceId, { status: 'detaching' });
  settle(account, networkInterfaceId, DETACH_MEDIAN_MS, 'detaching', () =>
    release(account, networkInterfaceId),
  );
}

/** Takes an interface off its instance: it goes with it or stays behind, as was asked for. */
export function release(account: Account, networkInterfaceId: string): void {
  change(account, networkInterfaceId, { status: 'available', attachment: null, publicIp: null });
}

/** @throws RefusedError PrivateIpAddressLimitExceeded, or when the subnet has too few addresses */
export function assignAddresses(
  account: Account,
  networkInterfaceId: string,
  wanted: { readonly addressCount: number; readonly prefixCount: number },
): { readonly addresses: readonly string[]; readonly prefixes: readonly string[] } {
  const found = interfaceOf(account, networkInterfaceId);
  checkSlots(account, found, wanted.addressCount + wanted.prefixCount);
  const addresses = takeAddresses(account, found.subnetId, wanted.addressCount);
  const prefixes = takePrefixes(account, found.subnetId, wanted.prefixCount);
  change(account, networkInterfaceId, {
    addresses: [...found.addresses, ...addresses],
    prefixes: [...found.prefixes, ...prefixes],
  });
  return { addresses, prefixes };
}

function checkSlots(account: Account, found: NetworkInterface, more: number): void {
  const instance = account.instances.get(found.attachment?.instanceId ?? '');
  if (instance === undefined) return;
  const { ipv4PerEni } = typeLimits(account, instance.instanceType);
  if (found.addresses.length + found.prefixes.length + more <= ipv4PerEni) return;
  const message =
    `Number of private addresses will exceed limit. [${found.networkInterfaceId}] ` +
    `The limit of ${instance.instanceType} is ${ipv4PerEni}.`;
  throw refused('PrivateIpAddressLimitExceeded', message);
}

export function unassignAddresses(
  account: Account,
  networkInterfaceId: string,
  gone: { readonly addresses: readonly string[]; readonly prefixes: readonly string[] },
): void {
  const found = interfaceOf(account, networkInterfaceId);
  const book = bookOf(account, found.subnetId);
  for (const address of gone.addresses) book.release(address);
  for (const prefix of gone.prefixes) book.releasePrefix(prefix);
  change(account, networkInterfaceId, {
    addresses: found.addresses.filter((one) => !gone.addresses.includes(one)),
    prefixes: found.prefixes.filter((one) => !gone.prefixes.includes(one)),
  });
}
