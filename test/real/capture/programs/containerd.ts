/** containerd 1.6, as Debian has it, with configurations and folders that it cannot use. */
import type { Scenario, Truth } from '../scenario.ts';
import { NODE_NAME } from '../stage.ts';

interface Broken extends Truth {
  readonly what: string;
  readonly broken: string;
  /** The configuration file, or null for none of its own. */
  readonly config?: string;
  /** Run in the machine before containerd starts. */
  readonly before?: string;
  readonly until?: RegExp;
}

const CRI = 'plugins."io.containerd.grpc.v1.cri"';
const GOOD = `version = 2\n[${CRI}]\n  sandbox_image = "registry.k8s.io/pause:3.10"\n`;
const READY = /containerd successfully booted/;
/** What every start says, a healthy one too. */
const ROUTINE = /level=info msg="(?:loading plugin|skip loading|Start cri plugin)/;

/** Its lines as the journal has them: containerd stamps them itself as well. */
function journalOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => line !== '' && !ROUTINE.test(line))
    .map((line) => `${stampOf(line)} ${NODE_NAME} containerd[812]: ${line}`)
    .join('\n');
}

function stampOf(line: string): string {
  const own = /time="(?<time>[^"]+)"/.exec(line)?.groups?.['time'];
  const date = own === undefined ? new Date() : new Date(own);
  const [, month = '', day = '', , time = ''] =
    /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${day} ${month.padStart(2, '0')} ${time === '' ? date.toISOString().slice(11, 19) : time}`;
}

const BROKEN: readonly Broken[] = [
  {
    what: 'unknown-toml',
    broken: 'a configuration that is no TOML',
    config: 'version = 2\n[plugins.cri\n  systemd_cgroup = true\n',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'wrong-type',
    broken: 'a configuration with a word where a number belongs',
    config: 'version = 2\noom_score = "low"\n',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'invalid-plugin-uri',
    broken: 'a version 2 configuration that disables a plugin by its old name',
    config: 'version = 2\ndisabled_plugins = ["cri"]\n',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'missing-import',
    broken: 'a configuration that imports a folder which is no TOML',
    config: 'version = 2\nimports = ["/etc/containerd/conf.d/*.toml"]\n',
    before: 'mkdir -p /etc/containerd/conf.d; echo "{" > /etc/containerd/conf.d/runtime.toml',
    cause: 'container-runtime-down',
    expect: 'found',
  },
  {
    what: 'no-cni-configuration',
    broken: 'no CNI configuration in /etc/cni/net.d',
    config: GOOD,
    until: READY,
    cause: 'cni-configuration-missing',
    expect: 'unknown',
  },
  {
    what: 'root-full',
    broken: 'a full file system under /var/lib/containerd',
    config: GOOD,
    before:
      'mount -t tmpfs -o size=64k tmpfs /var/lib/containerd; head -c 65536 /dev/zero > /var/lib/containerd/fill',
    cause: 'root-volume-full-at-boot',
    expect: 'found',
  },
];

export const CONTAINERD: readonly Scenario[] = BROKEN.map(
  ({ what, broken, config = GOOD, before = 'true', until, ...truth }) => ({
    ...truth,
    id: `containerd/${what}`,
    source: `containerd 1.6.20, started with ${broken}`,
    needs: [],
    system: ['containerd', 'runc', 'unshare'],
    run: async (stage) => {
      const machine = await stage.machine();
      await machine.write('/etc/containerd/config.toml', config);
      await machine.shell(before);
      const { text } = await machine.run({
        program: 'containerd',
        args: ['--log-level', until === undefined ? 'warn' : 'info'],
        limitMs: 5_000,
        ...(until === undefined ? {} : { until }),
      });
      return [{ name: 'containerd.journal', text: journalOf(text) }];
    },
  }),
);
