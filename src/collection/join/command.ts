import type { Host } from '../../ports/host.ts';
import { shortText } from '../host/machine.ts';
import type { JoinEndpoint } from './checks.ts';

/** What can be told of a join command from its words, and from the file that it names. */
export interface JoinCommand {
  readonly flavour: 'kubeadm' | 'nodeadm' | 'bootstrap' | 'other';
  readonly endpoint: JoinEndpoint | null;
}

const BYTES_MAX = 256 * 1024;
const CONFIG_FLAGS = ['--config', '--config-source'] as const;
const ENDPOINT_FLAGS = ['--apiserver-endpoint', '--server'] as const;
const ENDPOINT_FIELD = /^\s*(?:apiServerEndpoint|server):\s*["']?([^\s"'#]+)/m;

export async function readJoinCommand(host: Host, argv: readonly string[]): Promise<JoinCommand> {
  const flavour = flavourOf(argv);
  const named = argv.flatMap((_, index) =>
    ENDPOINT_FLAGS.flatMap((flag) => valueAt(argv, index, flag)),
  )[0];
  const direct = flavour === 'kubeadm' ? argv.slice(2).find(isHostAndPort) : undefined;
  const text = named ?? direct ?? (await inFile(host, argv));
  return { flavour, endpoint: text === null ? null : endpointIn(text) };
}

function flavourOf([program = '', verb = '']: readonly string[]): JoinCommand['flavour'] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (name === 'kubeadm' && verb === 'join') return 'kubeadm';
  if (name === 'nodeadm') return 'nodeadm';
  return name === 'bootstrap.sh' ? 'bootstrap' : 'other';
}

function valueAt(argv: readonly string[], index: number, flag: string): readonly string[] {
  const word = argv[index] ?? '';
  if (word.startsWith(`${flag}=`)) return [word.slice(flag.length + 1)];
  const next = argv[index + 1];
  return word === flag && next !== undefined ? [next] : [];
}

async function inFile(host: Host, argv: readonly string[]): Promise<string | null> {
  const paths = argv.flatMap((_, index) =>
    CONFIG_FLAGS.flatMap((flag) => valueAt(argv, index, flag)),
  );
  for (const path of paths) {
    const text = await shortText(host, path.replace(/^file:\/\//, ''), BYTES_MAX);
    const found = text === null ? null : (ENDPOINT_FIELD.exec(text)?.[1] ?? null);
    if (found !== null) return found;
  }
  return null;
}

function isHostAndPort(word: string): boolean {
  return /^(?:\[[\d:a-f]+\]|[\w.-]+):\d{1,5}$/i.test(word);
}

const ENDPOINT = /^(?:https:\/\/)?(\[[\d:a-f]{2,45}\]|[\w.-]{1,253})(?::(\d{1,5}))?(?:\/|$)/i;
const KUBERNETES_PORT = 443;

/** `HOST:PORT`, or an `https` address. */
export function endpointIn(text: string): JoinEndpoint | null {
  const [whole, name, port] = ENDPOINT.exec(text) ?? [];
  if (whole === undefined || name === undefined) return null;
  return { host: name.replace(/^\[|\]$/g, ''), port: Number(port ?? KUBERNETES_PORT) };
}
