/** A block of IPv4 addresses; `first` is its first address as an unsigned 32-bit number. */
export interface Cidr {
  readonly first: number;
  readonly prefixLength: number;
}

const OCTETS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const CIDR = /^([\d.]{7,15})\/(\d{1,2})$/;
const ADDRESS_BITS = 32;

/** An address such as `10.0.1.2` as a number, null for anything else. */
export function addressOf(text: string): number | null {
  const match = OCTETS.exec(text);
  const octets = match === null ? [] : match.slice(1, 5).map(Number);
  if (octets.length !== 4 || octets.some((octet) => octet > 255)) return null;
  return octets.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** A number as an address. */
export function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
}

/** Addresses of a block, those that EC2 keeps for itself included. */
export function sizeOf(block: Cidr): number {
  return 2 ** (ADDRESS_BITS - block.prefixLength);
}

/** A block such as `10.0.1.0/24`; null for anything else, and when bits of the host are set. */
export function cidrOf(text: string): Cidr | null {
  const match = CIDR.exec(text);
  const first = addressOf(match?.[1] ?? '');
  const prefixLength = Number(match?.[2]);
  if (match === null || first === null || prefixLength > ADDRESS_BITS) return null;
  const block = { first, prefixLength };
  return first % sizeOf(block) === 0 ? block : null;
}

export function cidrText(block: Cidr): string {
  return `${addressText(block.first)}/${block.prefixLength}`;
}

export function isInside(address: number, block: Cidr): boolean {
  return address >= block.first && address < block.first + sizeOf(block);
}
