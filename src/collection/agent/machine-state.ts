import type { InterruptionNotice } from '../../domain/instances/notice.ts';
import type {
  MetadataFlow,
  MetadataPath,
  MetadataRule,
} from '../../domain/network/metadata-path.ts';
import { at, isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import { excerptOf } from '../../evidence/redact.ts';
import type { Host, HostRun } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { readMetadataFlows } from '../../readers/host/conntrack.ts';
import { readIptablesRules } from '../../readers/host/iptables.ts';
import { readNftRules } from '../../readers/host/nft.ts';
import { readOwnAddresses } from '../../readers/host/own-addresses.ts';
import { readNotices } from './notices.ts';
import { type KubeletFinder, kubeletFinder } from './kubelet-finder.ts';
import type { MachineRoot } from './machine-root.ts';
import { askMetadata, askToken, ROLES_PATH, roleIn } from './metadata-client.ts';

/** What only the machine's own network shows. */
export interface MachineState {
  /** By the wall clock, ms. */
  readonly atMs: number;
  readonly path: MetadataPath;
  /** The machine's role: null for none, undefined when not known. */
  readonly nodeRole: string | null | undefined;
  /** null when they could not be asked for. */
  readonly notices: readonly InterruptionNotice[] | null;
  /** When the kubelet began, after the boot; null where none was seen. */
  readonly kubeletStartedMs: number | null;
}

const LIMITS = { timeoutMs: 3_000, bytesMax: 4 * 1024 * 1024 };
const STATE_BYTES_MAX = 1024 * 1024;
const LIST_CONNECTIONS = 'conntrack -L -p tcp --orig-dst 169.254.169.254'.split(' ');
const CONNECTIONS = '/proc/net/nf_conntrack';

/** The output of a program of the machine; null when it is not there or may not be run. */
async function printed(
  { host, root }: MachineRoot,
  argv: readonly string[],
): Promise<string | null> {
  const whole = root === null ? argv : ['chroot', root, ...argv];
  try {
    const ran: HostRun = await host.run(whole, LIMITS);
    return ran.exitCode === 0 && !ran.isCut ? new TextDecoder().decode(ran.stdout) : null;
  } catch (error) {
    if (error instanceof PortError) return null;
    throw error;
  }
}

/** null when nothing that keeps rules could be read. */
async function rulesOf(machine: MachineRoot): Promise<readonly MetadataRule[] | null> {
  const [saved, legacy, native] = await Promise.all([
    printed(machine, ['iptables-save']),
    printed(machine, ['iptables-legacy-save']),
    printed(machine, ['nft', '-j', 'list', 'ruleset']),
  ]);
  if (saved === null && legacy === null && native === null) return null;
  const rules = [
    ...readIptablesRules(saved ?? ''),
    ...readIptablesRules(legacy ?? ''),
    ...readNftRules(native ?? ''),
  ];
  // Rules have comments, in which people write what they like.
  return [...new Map(rules.map((rule) => [rule.text, rule])).values()].map((rule) => ({
    ...rule,
    text: excerptOf(rule.text),
  }));
}

/** null when the connections could not be listed whole. */
async function flowsOf(machine: MachineRoot): Promise<readonly MetadataFlow[] | null> {
  const listed = await printed(machine, LIST_CONNECTIONS);
  if (listed !== null) return readMetadataFlows(listed);
  const bytes = await fileOf(machine.host, CONNECTIONS, LIMITS.bytesMax);
  // A list that fills the limit has lost its beginning.
  if (bytes === null || bytes.length >= LIMITS.bytesMax) return null;
  return readMetadataFlows(new TextDecoder().decode(bytes));
}

async function fileOf(host: Host, path: string, bytesMax: number): Promise<Uint8Array | null> {
  try {
    return await host.readFile(path, bytesMax);
  } catch (error) {
    if (error instanceof PortError) return null;
    throw error;
  }
}

async function ownAddresses(host: Host): Promise<readonly string[]> {
  const bytes = await fileOf(host, '/proc/net/fib_trie', LIMITS.bytesMax);
  return bytes === null ? [] : readOwnAddresses(new TextDecoder().decode(bytes));
}

/** The rules and connections of the network in which this program runs. */
export async function readMetadataPath(machine: MachineRoot): Promise<MetadataPath> {
  const [rules, flows, addresses] = await Promise.all([
    rulesOf(machine),
    flowsOf(machine),
    ownAddresses(machine.host),
  ]);
  return { rules, flows, ownAddresses: addresses };
}

/** Looks from the machine's own network; nothing is thrown for what it cannot see. */
export async function lookAtMachine(
  machine: MachineRoot,
  atMs: number,
  findKubelet: KubeletFinder = kubeletFinder(),
): Promise<MachineState> {
  const seen = Promise.all([readMetadataPath(machine), findKubelet(machine)]);
  const { status, token } = await askToken(machine.host);
  const [path, kubeletStartedMs] = await seen;
  if (status === null) return { atMs, path, nodeRole: undefined, notices: null, kubeletStartedMs };
  const reply = await askMetadata(machine.host, ROLES_PATH, token);
  return {
    atMs,
    path,
    kubeletStartedMs,
    nodeRole: reply?.status === 404 ? null : (roleIn(reply) ?? undefined),
    notices: await readNotices(machine.host, token),
  };
}

/** As one program of the machine writes it for another. */
export function machineStateText(state: MachineState): string {
  return JSON.stringify(state);
}

/** @throws PortError `malformed` for what no such program wrote */
export async function readMachineState(host: Host, path: string): Promise<MachineState> {
  const bytes = await host.readFile(path, STATE_BYTES_MAX);
  const state = stateIn(new TextDecoder().decode(bytes));
  if (state !== null) return state;
  const message = `${path} is not the state of a machine.`;
  throw new PortError({ failure: 'malformed', message });
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function stateIn(text: string): MachineState | null {
  const value = parsed(text);
  const atMs = at(value, 'atMs');
  if (!isObject(value) || typeof atMs !== 'number' || !isObject(at(value, 'path'))) return null;
  const nodeRole = value['nodeRole'];
  const startedMs = value['kubeletStartedMs'];
  return {
    atMs,
    nodeRole: nodeRole === null ? null : (textAt(value, 'nodeRole') ?? undefined),
    kubeletStartedMs: typeof startedMs === 'number' ? startedMs : null,
    notices: value['notices'] === null ? null : listAt(value, 'notices').flatMap(noticeIn),
    path: {
      rules: at(value, 'path.rules') === null ? null : listAt(value, 'path.rules').flatMap(ruleIn),
      flows: at(value, 'path.flows') === null ? null : listAt(value, 'path.flows').flatMap(flowIn),
      ownAddresses: listAt(value, 'path.ownAddresses').filter((one) => typeof one === 'string'),
    },
  };
}

function ruleIn(value: Json): readonly MetadataRule[] {
  const text = textAt(value, 'text');
  const does = textAt(value, 'does');
  if (text === null || (does !== 'redirect' && does !== 'drop')) return [];
  return [{ text, does, to: textAt(value, 'to'), fromInterface: textAt(value, 'fromInterface') }];
}

function flowIn(value: Json): readonly MetadataFlow[] {
  const fromPort = at(value, 'fromPort');
  const [from, answeredBy, state] = texts(value, ['from', 'answeredBy', 'state']);
  if (from === undefined || answeredBy === undefined || state === undefined) return [];
  return [{ from, answeredBy, state, fromPort: typeof fromPort === 'number' ? fromPort : 0 }];
}

function noticeIn(value: Json): readonly InterruptionNotice[] {
  const kind = textAt(value, 'kind');
  const action = textAt(value, 'action');
  const isKnown = kind === 'spot' || kind === 'rebalance' || kind === 'scheduled';
  return isKnown && action !== null ? [{ kind, action, at: textAt(value, 'at') }] : [];
}

function texts(value: Json, keys: readonly string[]): readonly (string | undefined)[] {
  return keys.map((key) => textAt(value, key) ?? undefined);
}
