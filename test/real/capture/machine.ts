/**
 * A machine: private mount, network and UTS namespaces, so that a kubelet finds its usual paths,
 * its name and its address, and nothing of this computer is touched.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { type Bench, type Program, until } from '../bench.ts';
import { type Command, runProgram, type Said } from './run-program.ts';

export interface MachineOptions {
  readonly name: string;
  readonly address: string;
  /** Ports of 127.0.0.1 outside, by the `address:port` under which the machine sees them. */
  readonly reaches?: Readonly<Record<string, number>>;
}

export interface Machine {
  readonly name: string;
  readonly run: (command: Command) => Promise<Said>;
  /** Starts a program that stays; the bench ends it. */
  readonly start: (name: string, command: Command) => Program;
  /** Writes a file under a path of the machine. */
  readonly write: (path: string, text: string) => Promise<void>;
  readonly shell: (script: string) => Promise<Said>;
  readonly close: () => void;
}

/** Folders in which programs leave things; the machine's own are laid over them. */
const LAID_OVER = ['etc', 'var', 'opt'];
/** What is mounted below them may not lie on an overlay itself. */
const OWN_FOLDERS = ['/var/lib/containerd', '/var/lib/kubelet', '/var/lib/etcd'];

/** Settings that the kernel has once and a kubelet changes, as a kernel starts with them. */
const KERNEL_SETTINGS = {
  'vm/overcommit_memory': 0,
  'vm/panic_on_oom': 0,
  'kernel/panic': 0,
  'kernel/panic_on_oops': 0,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
} as const;

function holderScript(folder: string, { name, address, reaches = {} }: MachineOptions): string {
  const overlays = LAID_OVER.map(
    (one) =>
      `mkdir -p ${folder}/${one}/up ${folder}/${one}/work; mount -t overlay overlay -o lowerdir=/${one},upperdir=${folder}/${one}/up,workdir=${folder}/${one}/work /${one}`,
  );
  const owned = OWN_FOLDERS.map(
    (path) => `mkdir -p ${folder}/own${path} ${path}; mount --bind ${folder}/own${path} ${path}`,
  );
  const others = [...new Set(Object.keys(reaches).map((place) => place.split(':')[0] ?? ''))];
  return [
    'set -e',
    'mount --make-rprivate /',
    ...overlays,
    ...owned,
    'mount --bind /var/lib/kubelet /var/lib/kubelet; mount --make-shared /var/lib/kubelet',
    'mount -t tmpfs tmpfs /run; mkdir -p /run/netns; mount --bind /run/netns /run/netns; mount --make-shared /run/netns',
    ...Object.entries(KERNEL_SETTINGS).map(
      ([path, value]) =>
        `mkdir -p ${folder}/sys/${dirname(path)}; echo ${value} > ${folder}/sys/${path}; mount --bind ${folder}/sys/${path} /proc/sys/${path}`,
    ),
    `echo '127.0.0.1 localhost' > /etc/hosts; echo '${address} ${name} ${name.split('.')[0]}' >> /etc/hosts`,
    // Nobody answers there, as at a resolver whose port is closed.
    "rm -f /etc/resolv.conf; echo 'nameserver 127.0.0.53' > /etc/resolv.conf",
    "echo 'ID=amzn' > /etc/os-release.new; rm -f /etc/machine-id; echo 0b1c2d3e4f5061728394a5b6c7d8e9f0 > /etc/machine-id",
    `hostname ${name}`,
    'ip link set lo up',
    'ip link add eth0 type veth peer name eth0p; ip link set eth0p up',
    `ip addr add ${address}/20 dev eth0; ip link set eth0 up; ip route add default dev eth0`,
    ...others.map((one) => `ip addr add ${one}/32 dev lo`),
    `touch ${folder}/ready; exec sleep infinity`,
  ].join('\n');
}

/** Passes what arrives on one side on to the other. */
const RELAY = `
const { createServer, connect } = require('node:net');
const [host, port, path] = process.argv.slice(1);
createServer((near) => {
  const far = connect(path);
  near.on('error', () => far.destroy()); far.on('error', () => near.destroy());
  near.pipe(far); far.pipe(near);
}).listen(Number(port), host);
`;

/** The outer half of a relay: a socket file that leads to a port of 127.0.0.1. */
function openDoor(path: string, port: number): Server {
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(path);
  server.unref();
  return server;
}

/** @throws Error when namespaces are not permitted here; it needs root */
export async function startMachine(bench: Bench, options: MachineOptions): Promise<Machine> {
  const { name, reaches = {} } = options;
  const folder = join(bench.dir, `machine-${name}`);
  mkdirSync(folder, { recursive: true });
  const script = join(folder, 'holder.sh');
  writeFileSync(script, holderScript(folder, options));
  const holder = bench.start({
    name: `machine-${name}`,
    path: 'unshare',
    args: ['-m', '-n', '-u', 'bash', script],
  });
  await holder.untilReady(async () => readFileSync(join(folder, 'ready')).length === 0);
  const inside = ['-t', String(holder.pid), '-m', '-n', '-u', '--'];
  const doors = Object.entries(reaches).map(([place, port], index) => {
    const path = join(folder, `door-${index}`);
    const [host = '', within = ''] = place.split(':');
    const args = ['-t', String(holder.pid), '-n', '--', process.execPath, '-e', RELAY];
    bench.start({
      name: `relay-${name}-${index}`,
      path: 'nsenter',
      args: [...args, host, within, path],
    });
    return openDoor(path, port);
  });
  const run = (command: Command): Promise<Said> =>
    runProgram({
      ...command,
      program: 'nsenter',
      args: [...inside, command.program, ...command.args],
    });
  const shell = (text: string): Promise<Said> =>
    run({ program: 'bash', args: ['-c', text], limitMs: 60_000 });
  await until('the relays of the machine', async () => {
    const tries = Object.keys(reaches).map((place) =>
      shell(`exec 3<>/dev/tcp/${place.replace(':', '/')}`),
    );
    return (await Promise.all(tries)).every(({ code }) => code === 0) ? true : null;
  });
  return {
    name,
    run,
    shell,
    start: (program, command) =>
      bench.start({
        name: program,
        path: 'nsenter',
        args: [...inside, command.program, ...command.args],
        ...(command.env === undefined ? {} : { env: command.env }),
      }),
    write: async (path, text) => {
      const said = await run({
        program: 'bash',
        args: ['-c', `mkdir -p ${dirname(path)}; cat > ${path}`],
        input: text,
      });
      if (said.code !== 0) throw new Error(`${path} cannot be written: ${said.text}`);
    },
    close: () => {
      for (const door of doors) door.close();
    },
  };
}
