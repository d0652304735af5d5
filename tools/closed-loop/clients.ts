/** Runs one printed command on the evidence of an example, each part by its real program. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { sequence } from '../../src/diagnosis/report/shell-words.ts';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { ExampleFile } from '../../test/causes/example.ts';
import { runCommand } from '../dialogue/operator.ts';
import { type Held, heldIn } from './evidence.ts';
import { kindOf, pipeOf } from './parts.ts';
import { withCluster } from './world.ts';

/** How the servers answer: as the example says, with nothing, or by refusing. */
export type Mood = 'as it is' | 'empty' | 'forbidden';

export interface Printed {
  readonly text: string;
  /** Whether something of the example is in it. */
  readonly isPlayed: boolean;
}

interface AwsCall {
  readonly argv: readonly string[];
  readonly answers: readonly JsonObject[];
  readonly refusal: { readonly Code: string; readonly Message: string } | null;
}

const REFUSAL = {
  Code: 'AccessDenied',
  Message: 'User: arn:aws:iam::123456789012:user/dana is not authorized to perform this operation',
};

/** The words of a command as a shell gives them to the program, without its name. */
function words(command: string): readonly string[] {
  const plain = command.replace(/"\$\(.*?\)"/g, 'resolved').replace(/<(\w[\w-]*)>/g, '$1');
  const found = plain.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return found.slice(1).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** The interpreter of the installed AWS CLI, which has its modules. */
function interpreter(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      const [line = ''] = readFileSync(join(folder, 'aws'), 'utf8').split('\n');
      if (line.includes('python')) return line.replace(/^#!\s*/, '');
    } catch {
      continue;
    }
  }
  return spawnSync('bash', ['-c', 'head -n 1 "$(pyenv which aws)"'], { encoding: 'utf8' })
    .stdout.trim()
    .replace(/^#!\s*/, '');
}

/** The AWS CLI, which stays for many calls. */
class AwsClient {
  readonly #child = spawn(interpreter(), [join(import.meta.dirname, 'answering-aws.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();

  async run(call: AwsCall): Promise<{ readonly text: string; readonly answered: boolean }> {
    this.#child.stdin.write(`${JSON.stringify(call)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the AWS CLI has ended');
    return JSON.parse(value) as { text: string; answered: boolean };
  }

  close(): void {
    this.#child.stdin.end();
  }
}

let client: AwsClient | null = null;

/** Ends the AWS CLI, if one was needed. */
export function closeClients(): void {
  client?.close();
  client = null;
}

function filtered(text: string, filters: string): string {
  if (filters === '') return text;
  const { stdout } = spawnSync('bash', ['-c', filters], { input: text, encoding: 'utf8' });
  return stdout;
}

const PLACES: readonly (readonly [hole: RegExp, kind: string])[] = [
  [/<node>/g, 'Node'],
  [/<[\w-]*pod>/g, 'Pod'],
  [/<namespace>/g, 'Namespace'],
  [/<node-class>/g, 'EC2NodeClass'],
];

/** With the names of the example in place of what the reader fills in. */
export function filledFrom(command: string, { objects }: Held): string {
  let filled = command;
  for (const [hole, kind] of PLACES) {
    const object = objects.find((one) => one['kind'] === kind);
    const name = textAt(object ?? {}, 'metadata.name') ?? kind.toLowerCase();
    filled = filled.replaceAll(hole, name);
  }
  const pod = objects.find(({ kind }) => kind === 'Pod');
  const namespace = textAt(pod ?? {}, 'metadata.namespace') ?? 'default';
  return filled
    .replaceAll('-n namespace', `-n ${namespace}`)
    .replace(/(get pod \S+)(?! -n)( -o| \||$)/, `$1 -n ${namespace}$2`)
    .replaceAll('<region>', 'eu-central-1')
    .replaceAll('<cluster>', 'harbor');
}

/** Pods, and what they belong to, whose log a command asks for. */
function loggedIn(command: string): readonly JsonObject[] {
  if (!/ logs /.test(command)) return [];
  const namespace = /-n (\S+)/.exec(command)?.[1] ?? 'default';
  const selector = /-l (?:'(\w+) in \((.*?),.*?\)'|(\S+))/.exec(command);
  const pairs = selector?.[3] ?? (selector === null ? 'app=it' : `${selector[1]}=${selector[2]}`);
  const labels = Object.fromEntries(pairs.split(',').map((pair) => pair.split('=')));
  const container = /-c (\S+)/.exec(command)?.[1] ?? 'it';
  const set = / logs (deploy|ds)\/(\S+)/.exec(command);
  const named = / logs (?!-|deploy\/|ds\/)(\S+)/.exec(command)?.[1];
  const spec = { nodeName: 'worker-0', containers: [{ name: container, image: 'it' }] };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: named ?? 'it-x7k2p', namespace, labels },
    spec,
    status: { phase: 'Running' },
  };
  const owner = {
    apiVersion: 'apps/v1',
    kind: set?.[1] === 'ds' ? 'DaemonSet' : 'Deployment',
    metadata: { name: set?.[2] ?? 'it', namespace },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-0' } };
  return [pod, owner, node];
}

function isLog({ name, text }: ExampleFile): boolean {
  return /\.(?:log|txt)$/.test(name) && !/^(?:\[?[\w.@: ~-]*\]?[$#]) /m.test(text);
}

const FILE = /(?:^|\s)(\/[\w./-]+)(?=\s|$)/;

/** The log of an example that a command of the machine reads. */
function logFor(part: string, files: readonly ExampleFile[]): string | null {
  const path = FILE.exec(pipeOf(part).first)?.[1];
  const base = path?.split('/').at(-1);
  const exact = files.find(({ name }) => name === base || name.endsWith(`/${base}`));
  if (exact !== undefined) return exact.text;
  if (base !== undefined && !base.endsWith('.log')) return null;
  const unit = /-u (\S+)/.exec(part)?.[1];
  const own = files.find(({ name }) => unit !== undefined && name.includes(unit));
  const log = files.find(({ name }) => /journal|\.log$|\.txt$/.test(name));
  return (own ?? log)?.text ?? null;
}

function onMachine(part: string, files: readonly ExampleFile[]): Printed {
  const { first, filters } = pipeOf(part);
  const reads = /^(?:sudo )?(?:journalctl|cat|tail|head|grep|dmesg)\b/.test(first);
  const log = reads ? logFor(part, files) : null;
  if (log === null) return { text: '', isPlayed: false };
  const isWhole = /^(?:sudo )?(?:journalctl|dmesg|cat)/.test(first);
  const own = isWhole ? 'cat' : first.replace(/^sudo /, '').replace(/(?:\s\/[\w./*-]+)+$/, '');
  const text = filtered(log, filters === '' ? own : `${own} | ${filters}`);
  return { text, isPlayed: text !== '' };
}

const SHORT: Readonly<Record<string, string>> = {
  csr: 'certificatesigningrequest',
  crd: 'customresourcedefinition',
};

/** Whether a cluster of these objects can answer with one of them. */
function holdsAsked(part: string, { objects }: Held): boolean {
  const asked = / (?:get|describe) (?!-)([\w.,/<>:-]+)/.exec(part)?.[1] ?? '';
  const kinds = asked.split(',').map((word) => word.replace(/[./].*$/, ''));
  return kinds.some((word) => {
    const singular = SHORT[word] ?? word.replace(/(?<!s)s$/, '').replace(/(?:ie|e)$/, '');
    return objects.some((one) => (textAt(one, 'kind') ?? '').toLowerCase().startsWith(singular));
  });
}

async function onCluster(part: string, held: Held, files: readonly ExampleFile[], mood: Mood) {
  const log = files.find(isLog)?.text ?? '';
  const logged = loggedIn(part);
  const isHeld = logged.length > 0 ? log !== '' : holdsAsked(part, held);
  if (mood === 'as it is' && !isHeld) return { text: '', isPlayed: false };
  const objects = mood === 'as it is' ? [...held.objects, ...logged] : [];
  const command = part.replace(/^oc /, 'kubectl ');
  const ask = (environment: Readonly<Record<string, string>>) => runCommand(command, environment);
  const text = await withCluster({ objects, log, isForbidden: mood === 'forbidden' }, ask);
  const isEmpty = /^(?:No resources found|Error from server \(NotFound\)|error: the server does)/;
  return { text, isPlayed: text.trim() !== '' && !isEmpty.test(text) };
}

async function onAws(part: string, { answers }: Held, mood: Mood): Promise<Printed> {
  const { first, filters } = pipeOf(part);
  const call = {
    argv: words(first),
    answers: mood === 'as it is' ? answers : [],
    refusal: mood === 'forbidden' ? REFUSAL : null,
  };
  if (mood === 'as it is' && answers.length === 0) return { text: '', isPlayed: false };
  client ??= new AwsClient();
  const { text, answered } = await client.run(call);
  return { text: filtered(text, filters), isPlayed: answered };
}

/** Runs the parts one behind the other, as a terminal shows them. */
export async function runOn(
  command: string,
  files: readonly ExampleFile[],
  mood: Mood,
): Promise<Printed> {
  const held = heldIn(files);
  const printed: Printed[] = [];
  for (const part of sequence(filledFrom(command, held))) {
    const kind = kindOf(part);
    if (kind === 'machine') printed.push(onMachine(part, files));
    else if (kind === 'aws') printed.push(await onAws(part, held, mood));
    else printed.push(await onCluster(part, held, files, mood));
  }
  return {
    text: printed.map(({ text }) => text).join(''),
    isPlayed: printed.some(({ isPlayed }) => isPlayed),
  };
}
