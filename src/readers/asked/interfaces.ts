import type { PassageReading } from '../passage.ts';
import { isTyped } from './command.ts';

/** An address of the machine itself, as `ip addr`, `ip -br addr` and `ifconfig` print it. */
interface Address {
  readonly text: string;
  readonly name: string;
  readonly line: number;
}

const IPV4 = String.raw`(?<address>(?:\d{1,3}\.){3}\d{1,3})`;
/** `ens5  UP  10.0.0.9/24`, of which the first address is the interface's own. */
const BRIEF = new RegExp(
  String.raw`^\s{0,4}(?<name>[\w.-]{1,15})(?:@\S{1,20})?\s+(?:UP|UNKNOWN)\s+${IPV4}\/(?<bits>\d{1,2})(?=\s|$)`,
);
/** `inet 10.0.0.9/24 brd … scope global dynamic ens5`, with or without the number before it. */
const LONG = new RegExp(
  String.raw`^\s{0,8}(?:\d{1,4}:\s{1,4}[\w.@-]{1,40}\s{1,8})?inet ${IPV4}\/(?<bits>\d{1,2})\s(?:\S{1,40}\s){0,8}?scope global (?:\w{1,20} ){0,4}(?<name>[\w.-]{1,15})(?=\s|\\|$)`,
);
const HEAD = /^(?<name>[\w.-]{1,15}): flags=|^(?<name2>[\w.-]{1,15})\s{1,8}Link encap:/;
const IFCONFIG = new RegExp(
  String.raw`^\s{1,12}inet (?:addr:)?${IPV4}\s.{0,60}(?:netmask |Mask:)(?<mask>(?:\d{1,3}\.){3}\d{1,3})`,
);

/** Interfaces of bridges and pods, and the machine's own loop. */
const INNER =
  /^(?:lo|docker|br-|virbr|veth|cali|eni[0-9a-f]{11}|cni|cbr|flannel|weave|tunl|vxlan|cilium|lxc|kube-|nodelocaldns|dummy|podman|lxdbr)/;

function bitsOf(mask: string): number {
  return mask
    .split('.')
    .map((octet) => Number(octet).toString(2).replaceAll('0', '').length)
    .reduce((sum, ones) => sum + ones, 0);
}

function addressIn(text: string, line: number, head: string): Address | null {
  const ip = BRIEF.exec(text)?.groups ?? LONG.exec(text)?.groups;
  const old = ip === undefined ? IFCONFIG.exec(text)?.groups : undefined;
  const name = ip?.['name'] ?? (old === undefined ? '' : head);
  if (name === '' || INNER.test(name)) return null;
  const bits = ip?.['bits'] ?? bitsOf(old?.['mask'] ?? '');
  return { text: `${(ip ?? old)?.['address'] ?? ''}/${bits}`, name, line };
}

const LINE_MAX = 400;
/** As many as one machine has, and no more than what is said of them holds. */
const ADDRESSES_MAX = 8;

/** The addresses of each machine: those of one output, up to the next command. */
function machinesIn(lines: readonly string[]): readonly (readonly Address[])[] {
  const machines: Address[][] = [[]];
  let head = '';
  for (const [index, line] of lines.entries()) {
    if (isTyped(line)) machines.push([]);
    const text = line.slice(0, LINE_MAX);
    const named = HEAD.exec(text)?.groups;
    head = named?.['name'] ?? named?.['name2'] ?? head;
    const address = addressIn(text, index + 1, head);
    if (address !== null) machines.at(-1)?.push(address);
  }
  return machines;
}

/** A pod's end of a link that the VPC CNI made. */
const POD_LINK =
  /^\s{0,4}(?<name>eni[0-9a-f]{11})(?:@\S{1,20}\s+(?:UP|DOWN|UNKNOWN)\b|\s{1,8}Link encap:)/;

/** Says which addresses a machine with several interfaces has, and how its pods are linked. */
export function readInterfaces(passage: PassageReading, lines: readonly string[]): void {
  const nobody = { when: null, host: null, about: null } as const;
  const say = (text: string, line: number): void =>
    passage.say({ ...nobody, text, source: 'client-output', line, isState: true });
  for (const addresses of machinesIn(lines)) {
    const [first] = addresses;
    const own = [...new Set(addresses.map(({ text }) => text))];
    const isOne = new Set(addresses.map(({ name }) => name)).size < 2;
    if (first === undefined || isOne || own.length > ADDRESSES_MAX) continue;
    say(`The machine has the addresses ${own.join(' ')}`, first.line);
  }
  const index = lines.findIndex((line) => POD_LINK.test(line.slice(0, LINE_MAX)));
  const link = POD_LINK.exec(lines[index]?.slice(0, LINE_MAX) ?? '')?.groups?.['name'];
  if (link !== undefined) say(`The machine has the link ${link} of the VPC CNI`, index + 1);
}
