import { scramble } from './scramble.ts';

const V4 = /(?<![\d.])(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?(?!\d|\.\d)/g;
const IN_NAME = /(?<![A-Za-z0-9])(ip-)(\d{1,3}(?:-\d{1,3}){3})(?![\d-])/gi;

const DOCUMENTED: ReadonlySet<string> = new Set(['192.0.2', '198.51.100', '203.0.113']);

type Octets = readonly [number, number, number, number];

/**
 * Addresses that say nothing of anybody: loopback, link-local and metadata, masks, the ranges that
 * Docker, EKS, kubeadm and kOps take where nobody chooses, and those of documents (RFC 5737), one of
 * which kOps writes into records that have no address yet.
 */
function isPublicKnowledge([a, b, c]: Octets): boolean {
  if (DOCUMENTED.has(`${a}.${b}.${c}`)) return true;
  if (a === 0 || a === 127 || a >= 224 || (a === 169 && b === 254)) return true;
  if (a === 172 && (b === 17 || b === 20)) return true;
  return a === 10 && (b === 100 || (b >= 96 && b <= 111));
}

/** The same bits are changed for all addresses that begin alike, so that ranges stay ranges. */
function otherOctet(octet: number, before: string, kept: number): number {
  let other = 0;
  for (let bit = 7; bit >= 0; bit--) {
    const isKept = 7 - bit < kept;
    const prefix = octet >> (bit + 1);
    const flip = isKept ? 0 : scramble(`v4 ${before} ${bit} ${prefix}`) & 1;
    other |= (((octet >> bit) & 1) ^ flip) << bit;
  }
  return other;
}

/**
 * How many bits of the second octet are kept: those that tell that an address is private (RFC 1918,
 * RFC 6598), and those that tell it from the ranges that stay as they are.
 */
function keptBits([a, b]: Octets): number | null {
  if (a === 10) return 4;
  if ((a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return 8;
  return a === 100 && b >= 64 && b < 128 ? 2 : null;
}

function otherAddress(octets: Octets, bits: number): Octets {
  if (isPublicKnowledge(octets)) return octets;
  const [a, b, c, d] = octets;
  const kept = keptBits(octets);
  const first = kept === null ? otherPublic(a) : a;
  const second = otherOctet(b, String(a), kept ?? 0);
  const third = otherOctet(c, `${a}.${b}`, 0);
  // The last one tells the router, the resolver and the broadcast of a subnet.
  return masked([first, second, third, d], bits);
}

/** A public network goes to another public one, of the range that is kept for documents and tests. */
function otherPublic(first: number): number {
  return 198 + (scramble(`public ${first}`) % 5);
}

function masked(octets: Octets, bits: number): Octets {
  const mask = (index: number): number => {
    const here = Math.max(0, Math.min(8, bits - index * 8));
    return (0xff << (8 - here)) & 0xff;
  };
  const [a, b, c, d] = octets;
  return [a & mask(0), b & mask(1), c & mask(2), d & mask(3)];
}

function octetsOf(parts: readonly string[]): Octets | null {
  const numbers = parts.map(Number);
  const [a = 256, b = 256, c = 256, d = 256] = numbers;
  return numbers.every((number) => number < 256) ? [a, b, c, d] : null;
}

function isRange(octets: Octets, bits: number): boolean {
  return masked(octets, bits).every((octet, index) => octet === octets[index]);
}

/** The text with other IPv4 addresses, as they are and in the names that spell them. */
export function withoutIpv4(text: string): string {
  return text
    .replace(V4, (whole, address: string, length?: string) => {
      const octets = octetsOf(address.split('.'));
      if (octets === null) return whole;
      const bits = length === undefined ? 32 : Number(length);
      const other = otherAddress(octets, isRange(octets, bits) ? bits : 32).join('.');
      return length === undefined ? other : `${other}/${length}`;
    })
    .replace(IN_NAME, (whole, ip: string, address: string) => {
      const octets = octetsOf(address.split('-'));
      return octets === null ? whole : `${ip}${otherAddress(octets, 32).join('-')}`;
    });
}

const V6 =
  /(?<![\w:.])(?:[0-9a-f]{1,4}:){1,7}(?::?[0-9a-f]{1,4}){0,6}(?:::)?(?:\/\d{1,3})?(?![\w:])/gi;
/** Unique local, link-local and loopback, by which readers tell what an address is for. */
const KEPT_V6 = /^(?:fe80|fd00:ec2|::1|ff)/i;

/** The text with other IPv6 addresses: each group is changed by those before it. */
export function withoutIpv6(text: string): string {
  return text.replace(V6, (whole) => {
    if (!whole.includes('::') && whole.split(':').length < 8) return whole;
    if (KEPT_V6.test(whole)) return whole;
    const [address = '', length] = whole.split('/');
    let before = '';
    const groups = address.split(':').map((group, index) => {
      const key = before;
      before += `:${group}`;
      if (group === '' || index === 0) return group;
      const value = (scramble(`v6 ${key} ${group}`) & 0xffff).toString(16);
      return value.padStart(group.length, '1').slice(-group.length);
    });
    return length === undefined ? groups.join(':') : `${groups.join(':')}/${length}`;
  });
}
