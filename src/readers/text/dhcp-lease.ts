import type { DhcpLease } from '../../evidence/kinds.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';

/** A lease that counts, and where it stands. */
export interface LeaseSaid {
  readonly value: DhcpLease;
  readonly by: string;
  /** From 1. */
  readonly line: number;
  readonly about: readonly (MachineName | null)[];
}

const DHCLIENT = /\blease\s{0,8}\{([^{}]{1,16000})\}/g;
/** systemd-networkd's files, and NetworkManager's, which took its form over. */
const PRIVATE = '# This is private data. Do not parse.';
const FIELD = /^([A-Z][A-Z0-9_]{1,40})=(.*)$/;
const FIELDS_MAX = 100;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const WORDS = /^[\w.-]+(?: [\w.-]+){0,20}$/;
const SERVERS_MAX = 20;

/** True when a text may hold what `leasesSaid` reads. */
export function speaksOfLease(text: string): boolean {
  return text.includes(PRIVATE) || (text.includes('lease') && text.includes('fixed-address'));
}

interface Given {
  readonly interface: string | null;
  readonly address: string;
  readonly domain: string | null;
  readonly host: string | null;
  readonly servers: string;
}

function leaseOf(given: Given): DhcpLease | null {
  if (!IPV4.test(given.address)) return null;
  const domain = given.domain?.trim() ?? null;
  const host = given.host?.trim() ?? '';
  return {
    interface: /^[\w.-]{1,15}$/.test(given.interface ?? '') ? given.interface : null,
    address: given.address,
    domainName: domain === '' || (domain !== null && WORDS.test(domain)) ? domain : null,
    hostName: WORDS.test(host) ? host : null,
    dnsServers: given.servers
      .split(/[\s,]+/)
      .filter((server) => IPV4.test(server))
      .slice(0, SERVERS_MAX),
  };
}

function said(value: DhcpLease, by: string, line: number): LeaseSaid {
  const { address, hostName } = value;
  const host = hostName === null ? null : classifyName(hostName, 'host');
  return { value, by, line, about: [classifyName(address, 'ip'), host] };
}

/** The statements of one `lease { … }`, by name; `option` is no part of it. */
function statementsOf(body: string): ReadonlyMap<string, string> {
  const statements = new Map<string, string>();
  for (const statement of body.split(';')) {
    const match = /^(?:option\s+)?([a-z][a-z0-9-]*)\s+(\S.*)$/.exec(statement.trim());
    if (match !== null) statements.set(match[1] ?? '', (match[2] ?? '').replace(/^"|"$/g, ''));
  }
  return statements;
}

/** dhclient writes every renewal below the last one, so the last of each interface counts. */
function ofDhclient(text: string): readonly LeaseSaid[] {
  const last = new Map<string, LeaseSaid>();
  let line = 1;
  let from = 0;
  for (const match of text.matchAll(DHCLIENT)) {
    line += text.slice(from, match.index).split('\n').length - 1;
    from = match.index;
    const statements = statementsOf(match[1] ?? '');
    const value = leaseOf({
      interface: statements.get('interface') ?? null,
      address: statements.get('fixed-address') ?? '',
      domain: statements.get('domain-name') ?? '',
      host: statements.get('host-name') ?? null,
      servers: statements.get('domain-name-servers') ?? '',
    });
    if (value !== null) last.set(value.interface ?? '', said(value, 'dhclient lease', line));
  }
  return [...last.values()];
}

function ofFields(fields: ReadonlyMap<string, string>): DhcpLease | null {
  // NetworkManager notes the address alone.
  const showsOptions = fields.has('SERVER_ADDRESS') || fields.has('NETMASK');
  return leaseOf({
    interface: null,
    address: fields.get('ADDRESS') ?? '',
    domain: fields.get('DOMAINNAME') ?? (showsOptions ? '' : null),
    host: fields.get('HOSTNAME') ?? null,
    servers: fields.get('DNS') ?? '',
  });
}

function fieldsFrom(lines: readonly string[], start: number): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (let index = start; index < start + FIELDS_MAX; index++) {
    const match = FIELD.exec((lines[index] ?? '').trim());
    if (match === null) break;
    fields.set(match[1] ?? '', match[2] ?? '');
  }
  return fields;
}

function* ofNetworkd(lines: readonly string[]): Generator<LeaseSaid> {
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== PRIVATE) continue;
    const value = ofFields(fieldsFrom(lines, index + 1));
    if (value !== null) yield said(value, 'DHCP lease of systemd-networkd', index + 2);
  }
}

/** The leases in dhclient's, systemd-networkd's or NetworkManager's own form. */
export function leasesSaid(text: string, lines: readonly string[]): readonly LeaseSaid[] {
  return [...ofDhclient(text), ...ofNetworkd(lines)];
}
