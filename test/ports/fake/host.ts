import type {
  Host,
  HostProbe,
  HostProbed,
  HostReply,
  HostRun,
  HostSpace,
} from '../../../src/ports/host.ts';
import { type PortFailure, PortError } from '../../../src/ports/port-error.ts';

export interface Refused {
  readonly failure: PortFailure;
  readonly message?: string;
}

/** What a program does: what it prints, or how it is refused. */
export type FakeProgram =
  | (Partial<Omit<HostRun, 'stdout'>> & { readonly stdout?: string })
  | Refused;

/** A machine in memory. */
export interface FakeMachine {
  readonly hostname?: string;
  /** Content by path; folders are those of the paths. */
  readonly files?: Readonly<Record<string, string | Uint8Array | Refused>>;
  /** By the command line, or by the program's name for every other command line of it. */
  readonly programs?: Readonly<Record<string, FakeProgram>>;
  /** By method and address (`PUT http://…`); the method may be left out for GET. */
  readonly replies?: Readonly<Record<string, Partial<HostReply> | Refused>>;
  /** By `host:port`. */
  readonly servers?: Readonly<Record<string, Partial<HostProbed> | Refused>>;
  /** By path. */
  readonly spaces?: Readonly<Record<string, HostSpace>>;
  readonly names?: Readonly<Record<string, readonly string[] | Refused>>;
  /** Awaited before every answer; told the time limit where the call has one. */
  readonly before?: (object: string, timeoutMs: number | null) => Promise<void>;
}

function isRefused(value: object | string): value is Refused {
  return typeof value === 'object' && 'failure' in value;
}

function refuse(object: string, { failure, message }: Refused): never {
  throw new PortError({ failure, message: message ?? `${object} is refused: ${failure}.` });
}

function missing(object: string): never {
  throw new PortError({ failure: 'not-found', message: `${object} is not there.` });
}

function last(content: string | Uint8Array, bytesMax: number): Uint8Array {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return bytes.slice(Math.max(0, bytes.length - bytesMax));
}

/** The `Host` port played by a machine in memory. */
export function createFakeHost(machine: FakeMachine): Host {
  const before = machine.before ?? (() => Promise.resolve());
  const paths = Object.keys(machine.files ?? {});
  return {
    async readFile(path, bytesMax) {
      await before(path, null);
      const file = machine.files?.[path];
      if (file === undefined) {
        if (!paths.some((other) => other.startsWith(`${path}/`))) missing(path);
        throw new PortError({ failure: 'invalid', message: `${path} is not a regular file.` });
      }
      return isRefused(file) ? refuse(path, file) : last(file, bytesMax);
    },
    async listFolder(path) {
      await before(path, null);
      const below = paths.filter((other) => other.startsWith(`${path}/`));
      if (below.length === 0) missing(path);
      const names = below.map((other) => other.slice(path.length + 1).split('/', 1)[0] ?? '');
      return [...new Set(names)].toSorted();
    },
    async space(path) {
      await before(path, null);
      return machine.spaces?.[path] ?? missing(path);
    },
    async run(argv, limits) {
      const line = argv.join(' ');
      await before(line, limits.timeoutMs);
      const program = machine.programs?.[line] ?? machine.programs?.[argv[0] ?? ''];
      if (program === undefined) missing(argv[0] ?? '');
      if (isRefused(program)) refuse(line, program);
      const stdout = last(program.stdout ?? '', limits.bytesMax);
      const isCut = new TextEncoder().encode(program.stdout ?? '').length > stdout.length;
      return { stderr: '', exitCode: 0, ...program, stdout, isCut };
    },
    async request({ url, method, bytesMax, timeoutMs }) {
      await before(url, timeoutMs);
      const found = machine.replies?.[`${method ?? 'GET'} ${url}`] ?? machine.replies?.[url];
      const reply = found ?? { failure: 'unreachable' };
      if (isRefused(reply)) refuse(url, reply);
      const whole = { status: 200, headers: {}, body: '', ...reply };
      if (whole.body.length > bytesMax) refuse(url, { failure: 'malformed' });
      return whole;
    },
    probe: (probe) => probeFake(machine, before, probe),
    async resolve(name, timeoutMs) {
      await before(name, timeoutMs);
      const found: readonly string[] | Refused = machine.names?.[name] ?? { failure: 'not-found' };
      return 'failure' in found ? refuse(name, found) : found;
    },
    hostname: () => machine.hostname ?? 'fake',
  };
}

async function probeFake(
  machine: FakeMachine,
  before: NonNullable<FakeMachine['before']>,
  probe: HostProbe,
): Promise<HostProbed> {
  const object = `${probe.host}:${probe.port}`;
  await before(object, probe.timeoutMs);
  const server = machine.servers?.[object] ?? {
    failure: 'unreachable',
    message: `${object} refused the connection.`,
  };
  if (isRefused(server)) refuse(object, server);
  const probed = { connectMs: 1, tls: null, clockOffsetMs: null, ...server };
  return probe.tlsServerName === null ? { ...probed, tls: null, clockOffsetMs: null } : probed;
}
