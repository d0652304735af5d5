import type { CniChange, InstanceType, TypeTables, UnknownType } from './instance-type.ts';
import { shellWord } from '../domain/words.ts';

/** The types in the compact form of `instance-types.generated.ts`. */
export interface PackedInstanceTypes {
  /**
   * `enis,ipv4PerEni,hypervisor,bareMetal,trunk,branches,cards,enisAllCards,vcpus,memoryMiB,arch`;
   * empty is not known.
   */
  readonly shapes: readonly string[];
  /** `firstCni,in,retired`. */
  readonly releases: readonly string[];
  /** `family size shape release size shape release …`, with base 36 places in the lists above. */
  readonly families: readonly string[];
  /** `type version:enis/ipv4PerEni …`. */
  readonly cniChanges: readonly string[];
}

export interface InstanceTypes {
  readonly names: readonly string[];
  readonly named: (name: string) => InstanceType | UnknownType;
}

/** Each simulated cloud asks for the shipped types, and so do several modules. */
const OPENED = new WeakMap<PackedInstanceTypes, InstanceTypes>();

/** The shipped types, unpacked one by one as they are asked for. */
export function instanceTypes(packed: PackedInstanceTypes): InstanceTypes {
  const opened = OPENED.get(packed) ?? openTypes(packed);
  OPENED.set(packed, opened);
  return opened;
}

function openTypes(packed: PackedInstanceTypes): InstanceTypes {
  const places = new Map(packed.families.flatMap(placesOf));
  const changes = new Map(packed.cniChanges.map(changesOf));
  return {
    names: [...places.keys()],
    named: (name) => {
      const place = places.get(name);
      if (place === undefined) return unknownType(name);
      const shape = packed.shapes[place.shape] ?? '';
      return unpack(name, shape, packed.releases[place.release] ?? '', changes.get(name) ?? []);
    },
  };
}

/** Says that nothing is known of a type, and how EC2 would be asked. */
export function unknownType(name: string): UnknownType {
  return {
    unknown: name,
    command: `aws ec2 describe-instance-types --instance-types ${shellWord(name)}`,
  };
}

interface Place {
  readonly shape: number;
  readonly release: number;
}

function placesOf(line: string): readonly [string, Place][] {
  const [family = '', ...words] = line.split(' ');
  const places: [string, Place][] = [];
  for (let index = 0; index + 2 < words.length; index += 3) {
    const [size = '', shape = '', release = ''] = words.slice(index, index + 3);
    const place = { shape: Number.parseInt(shape, 36), release: Number.parseInt(release, 36) };
    places.push([`${family}.${size}`, place]);
  }
  return places;
}

function changesOf(line: string): [string, readonly CniChange[]] {
  const [name = '', ...words] = line.split(' ');
  return [name, words.map(changeOf)];
}

function changeOf(word: string): CniChange {
  const [since = '', enis = '', ipv4PerEni = ''] = word.split(/[:/]/);
  return { since, enis: Number(enis), ipv4PerEni: count(ipv4PerEni) };
}

function unpack(
  name: string,
  shape: string,
  release: string,
  cniChanges: readonly CniChange[],
): InstanceType {
  const [enis, ips, hypervisor, metal, trunk, branches, cards, all, vcpus, memory, arch] =
    shape.split(',');
  return {
    name,
    enis: Number(enis),
    ipv4PerEni: Number(ips),
    hypervisor: hypervisor === 'nitro' || hypervisor === 'xen' ? hypervisor : null,
    bareMetal: flag(metal),
    trunk: flag(trunk),
    branches: count(branches),
    cards: count(cards),
    enisAllCards: count(all),
    vcpus: count(vcpus),
    memoryMiB: count(memory),
    arch: text(arch),
    tables: tablesOf(release, cniChanges),
    source: 'shipped',
  };
}

function tablesOf(release: string, cniChanges: readonly CniChange[]): TypeTables {
  const [firstCni, sources = '', retired] = release.split(',');
  return {
    firstCni: text(firstCni),
    known: true,
    al2: sources.includes('l'),
    nodeadm: sources.includes('a'),
    retired: retired === '1',
    cniChanges,
  };
}

function text(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value;
}

function count(value: string | undefined): number | null {
  return value === undefined || value === '' ? null : Number(value);
}

function flag(value: string | undefined): boolean | null {
  return value === undefined || value === '' ? null : value === '1';
}
