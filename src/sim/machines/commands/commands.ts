import type { CommandResult } from '../contract.ts';
import type { Host } from '../host.ts';
import type { Kubelet } from '../kubelet/kubelet.ts';
import { corePath } from '../kubelet/node-api.ts';
import { kubeadmJoin, kubeadmReset } from './kubeadm.ts';
import { nodeRow } from './kubectl.ts';
import { metadataText } from './metadata-text.ts';
import { rollcallJoin } from './rollcall-join.ts';
import type { Command, CommandParts, Done } from './command.ts';

const OK: CommandResult = { exitCode: 0, stdout: '', stderr: '' };

function printed(stdout: string): CommandResult {
  return { exitCode: 0, stdout, stderr: '' };
}

function refused(stderr: string, exitCode = 1): CommandResult {
  return { exitCode, stdout: '', stderr };
}

/** Packages and downloads take their time and change nothing that matters here. */
const SLOW: Readonly<Record<string, number>> = {
  'apt-get': 6000,
  apt: 6000,
  yum: 5000,
  dnf: 5000,
  wget: 300,
  aws: 700,
  modprobe: 20,
  sysctl: 10,
};
const SILENT = new Set(
  'true : mkdir chmod chown ln rm cp mv touch swapoff mount umount logger trap wait ulimit'.split(
    ' ',
  ),
);

/** The commands of one machine; what nobody knows ends with 127, as a shell does it. */
export function commandsOf(parts: CommandParts): Command {
  const known = new Map<string, Command>([
    ...Object.entries(machineCommands(parts)),
    ...Object.entries(textCommands(parts.host)),
    ...Object.entries(parts.ofImage),
  ]);
  const run: Command = (call, done) => {
    const [name = ''] = call.words;
    const base = name.slice(name.lastIndexOf('/') + 1);
    if (base === 'rollcall') return rollcallJoin(parts, call, run, done);
    const command = known.get(name) ?? known.get(base);
    if (command !== undefined) return command(call, done);
    if (SILENT.has(base)) return done(OK);
    const slowMs = SLOW[base];
    if (slowMs !== undefined)
      return void parts.host.after(parts.host.random.lognormal(slowMs, 0.3), () => done(OK));
    done(refused(`${name}: command not found\n`, 127));
  };
  return run;
}

function machineCommands(parts: CommandParts): Readonly<Record<string, Command>> {
  const { host } = parts;
  return {
    kubeadm: ({ words, out }, done) => {
      if (words[1] === 'join') return kubeadmJoin(parts, words.slice(2), out, done);
      if (words[1] === 'reset') return kubeadmReset(parts, done);
      done(words[1] === 'version' ? printed(`${host.settings.kubernetesVersion}\n`) : OK);
    },
    systemctl: ({ words }, done) => done(systemctl(parts, words.slice(1))),
    reboot: (_call, done) => {
      done(OK);
      host.after(500, () => parts.reboot());
    },
    hostnamectl: ({ words }, done) => {
      const at = words.findIndex((word) => word === 'set-hostname' || word === 'hostname');
      if (at < 0) return done(printed(` Static hostname: ${host.hostname()}\n`));
      host.setHostname(
        words.slice(at + 1).find((word) => !word.startsWith('-')) ?? host.hostname(),
      );
      done(OK);
    },
    hostname: ({ words }, done) => {
      const name = words.slice(1).find((word) => !word.startsWith('-'));
      if (name === undefined) return done(printed(`${hostnameBy(host.hostname(), words)}\n`));
      host.setHostname(name);
      done(OK);
    },
    journalctl: ({ words }, done) => {
      const at = words.indexOf('-u');
      const unit = words[at + 1]?.replace('.service', '');
      done(printed(parts.journalText(at < 0 || unit === undefined ? {} : { units: [unit] })));
    },
    kubectl: ({ words }, done) => kubectl(parts, words.slice(1), done),
    curl: ({ words }, done) => curl(parts, words, done),
  };
}

function hostnameBy(name: string, words: readonly string[]): string {
  return words.includes('-s') ? (name.split('.')[0] ?? name) : name;
}

function systemctl({ kubelet }: CommandParts, words: readonly string[]): CommandResult {
  const [verb = '', ...rest] = words.filter((word) => !word.startsWith('-'));
  const isKubelet = rest.some((unit) => unit.replace('.service', '') === 'kubelet');
  const isNow = verb === 'enable' && words.includes('--now');
  if (!isKubelet) return OK;
  if (verb === 'is-active') return isActive(kubelet);
  if (verb === 'start' || isNow) kubelet.start();
  if (verb === 'stop') kubelet.stop();
  if (verb === 'restart') kubelet.restart();
  if (verb === 'status')
    return { ...printed(statusText(kubelet)), exitCode: kubelet.isActive() ? 0 : 3 };
  return OK;
}

function isActive(kubelet: Kubelet): CommandResult {
  if (kubelet.isActive()) return printed('active\n');
  const text = kubelet.state() === 'crash-loop' ? 'activating\n' : 'inactive\n';
  return { exitCode: 3, stdout: text, stderr: '' };
}

function statusText(kubelet: Kubelet): string {
  const state = kubelet.isActive() ? 'active (running)' : 'inactive (dead)';
  return `● kubelet.service - kubelet: The Kubernetes Node Agent\n     Loaded: loaded (/usr/lib/systemd/system/kubelet.service; enabled; preset: enabled)\n     Active: ${state}\n`;
}

/** Asks the metadata service; whatever else is asked takes its time and answers nothing. */
function curl({ host, network }: CommandParts, words: readonly string[], done: Done): void {
  const url = words.find((word) => word.includes('://')) ?? '';
  if (!url.startsWith('http://169.254.169.254/'))
    return void host.after(host.random.lognormal(150, 0.3), () => done(OK));
  if (network.isLost('imds'))
    return void host.after(5000, () => done(refused('curl: (28) Connection timed out\n', 28)));
  const text = metadataText(host.instance(), url.slice('http://169.254.169.254/latest/'.length));
  host.after(5, () => done(text === null ? refused('404 - Not Found\n', 22) : printed(text)));
}

/** `kubectl get node NAME` and `kubectl get nodes`, with the kubelet's own credential. */
function kubectl(parts: CommandParts, words: readonly string[], done: Done): void {
  const plain = words.filter(
    (word, index) => !word.startsWith('-') && !words[index - 1]?.startsWith('--'),
  );
  const [verb, kind, name] = plain;
  if (verb !== 'get' || !/^(?:no|nodes?)(?:\/|$)/.test(kind ?? ''))
    return done(refused('error: not known here\n'));
  const wanted = name ?? kind?.split('/')[1];
  if (wanted === undefined) return done(printed(HEADER));
  const answer = parts.nodeApi().get(corePath('nodes', wanted));
  if (answer.ok)
    return done(
      printed(`${words.includes('--no-headers') ? '' : HEADER}${nodeRow(answer.object)}`),
    );
  const reason = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' }[answer.code];
  const start =
    reason === undefined ? 'Unable to connect to the server: ' : `Error from server (${reason}): `;
  done(refused(`${start}${answer.message}\n`));
}

const HEADER = 'NAME   STATUS   ROLES   AGE   VERSION\n';

function textCommands(host: Host): Readonly<Record<string, Command>> {
  return {
    false: (_call, done) => done(refused('')),
    echo: ({ words }, done) => {
      const isBare = words[1] === '-n';
      done(printed(`${words.slice(isBare ? 2 : 1).join(' ')}${isBare ? '' : '\n'}`));
    },
    cat: ({ words, stdin }, done) => {
      const path = words[1];
      if (path === undefined || path === '-') return done(printed(stdin));
      const text = host.files.read(path);
      if (text === null) return done(refused(`cat: ${path}: No such file or directory\n`));
      done(printed(text));
    },
    tee: ({ words, stdin }, done) => {
      const path = words.slice(1).find((word) => !word.startsWith('-'));
      if (path !== undefined)
        host.files.write(
          path,
          words.includes('-a') ? `${host.files.read(path) ?? ''}${stdin}` : stdin,
        );
      done(printed(stdin));
    },
    tail: ({ words, stdin }, done) => done(tail(host, words.slice(1), stdin)),
    grep: ({ words, stdin }, done) => done(grep(words.slice(1), stdin)),
    sed: ({ stdin }, done) => done(printed(stdin)),
    test: ({ words }, done) => done(tested(host, words.slice(1))),
    '[': ({ words }, done) => done(tested(host, words.slice(1, -1))),
    '[[': ({ words }, done) => done(tested(host, words.slice(1, -1))),
    date: (_call, done) => done(printed(`${new Date(host.nowMs()).toISOString()}\n`)),
  };
}

/** `tail -c BYTES [FILE]` and `tail -n LINES [FILE]`. */
function tail(
  host: Host,
  [flag, count = '', path]: readonly string[],
  stdin: string,
): CommandResult {
  const text = path === undefined ? stdin : host.files.read(path);
  if (text === null)
    return refused(`tail: cannot open '${path}' for reading: No such file or directory\n`);
  if (flag === '-c') return printed(Number(count) === 0 ? '' : text.slice(-Number(count)));
  const lines = text.split(/(?<=\n)/);
  return printed(lines.slice(Math.max(0, lines.length - Number(count))).join(''));
}

function grep(words: readonly string[], stdin: string): CommandResult {
  const flags = words.filter((word) => word.startsWith('-')).join('');
  const wanted = words.find((word) => !word.startsWith('-')) ?? '';
  const found = stdin
    .split('\n')
    .filter((line) => line.includes(wanted) !== flags.includes('v') && line !== '');
  if (found.length === 0) return refused('');
  return flags.includes('q') ? OK : printed(`${found.join('\n')}\n`);
}

function tested(host: Host, words: readonly string[]): CommandResult {
  if (words[0] === '!') return tested(host, words.slice(1)).exitCode === 0 ? refused('') : OK;
  const [first = '', second = '', third = ''] = words;
  const isTrue = ((): boolean => {
    if (words.length === 1) return first !== '';
    if (first === '-z') return second === '';
    if (first === '-n') return second !== '';
    if (first === '-f' || first === '-e') return host.files.has(second);
    if (second === '=' || second === '==') return first === third;
    if (second === '!=') return first !== third;
    const [left, right] = [Number(first), Number(third)];
    return (
      {
        '-eq': left === right,
        '-ne': left !== right,
        '-lt': left < right,
        '-gt': left > right,
        '-ge': left >= right,
        '-le': left <= right,
      }[second] ?? false
    );
  })();
  return isTrue ? OK : refused('');
}
