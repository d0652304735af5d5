import { excerptOf } from '../../evidence/redact.ts';
import { UsageError } from '../cli/context.ts';

/** Programs whose flags are understood: both are called `/manager` in their images. */
export type ReplacedProgram = 'nidhogg' | 'Node Readiness Controller';

/** What the manager of another program was asked for by its flags. */
export interface ReplacementFlags {
  readonly program: ReplacedProgram;
  /** null for that of the environment, or of the Pod. */
  readonly kubeconfig: string | null;
  /** The configuration file of nidhogg; null for the Node Readiness Controller. */
  readonly configFile: string | null;
  /** Addresses of health and metrics, each once, as Go writes them: `:8080`. */
  readonly listens: readonly string[];
  /** Of the Lease; null for that of the Pod. */
  readonly namespace: string | null;
  /** Flags that were given and change nothing here. */
  readonly ignored: readonly string[];
}

interface ForeignFlag {
  readonly of: ReplacedProgram | 'both';
  readonly kind: 'text' | 'switch';
  /** What is to be done instead, where the program cannot do what the flag asks for. */
  readonly insteadOf?: string;
}

const NRC = 'Node Readiness Controller';
const IGNORED_OF_BOTH = [
  'kube-api-qps',
  'kube-api-burst',
  'zap-encoder',
  'zap-log-level',
  'zap-stacktrace-level',
  'zap-time-encoding',
];
const IGNORED_OF_NRC = [
  'metrics-cert-dir',
  'pprof-bind-address',
  'node-concurrent-reconciles',
  'rule-concurrent-reconciles',
  'node-queue-qps',
  'node-queue-burst',
];

/** By name, without dashes. */
const FLAGS: ReadonlyMap<string, ForeignFlag> = new Map<string, ForeignFlag>([
  ['kubeconfig', { of: 'both', kind: 'text' }],
  ['zap-devel', { of: 'both', kind: 'switch' }],
  ...IGNORED_OF_BOTH.map((name) => [name, { of: 'both', kind: 'text' }] as const),
  ['master', { of: 'nidhogg', kind: 'text', insteadOf: 'name a kubeconfig with --kubeconfig' }],
  ['config-file', { of: 'nidhogg', kind: 'text' }],
  ['metrics-addr', { of: 'nidhogg', kind: 'text' }],
  ['leader-election', { of: 'nidhogg', kind: 'switch' }],
  ['leader-configmap', { of: 'nidhogg', kind: 'text' }],
  ['leader-namespace', { of: 'nidhogg', kind: 'text' }],
  ['disable-compression', { of: 'nidhogg', kind: 'switch' }],
  ['metrics-bind-address', { of: NRC, kind: 'text' }],
  [
    'metrics-secure',
    {
      of: NRC,
      kind: 'switch',
      insteadOf: 'serve metrics on an address that only the scraper reaches',
    },
  ],
  ['health-probe-bind-address', { of: NRC, kind: 'text' }],
  ['leader-elect', { of: NRC, kind: 'switch' }],
  ['leader-election-namespace', { of: NRC, kind: 'text' }],
  [
    'enable-webhook',
    { of: NRC, kind: 'switch', insteadOf: 'delete its ValidatingWebhookConfiguration' },
  ],
  ['enable-node-state-metrics', { of: NRC, kind: 'switch' }],
  ...IGNORED_OF_NRC.map((name) => [name, { of: NRC, kind: 'text' }] as const),
]);

/** What is understood; of the others nothing is changed by leaving them out. */
const OBEYED = new Set([
  'kubeconfig',
  'config-file',
  'metrics-addr',
  'leader-namespace',
  'metrics-bind-address',
  'health-probe-bind-address',
  'leader-election-namespace',
]);

const GO_FLAG = /^--?(?<name>[\w-]{1,60})(?:=(?<value>[^]*))?$/;
const FALSE = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);
const SWITCHED_OFF = '0';

/** As Go's `flag` reads words: one dash or two, and a switch takes its value behind `=` alone. */
function givenFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--' || !word.startsWith('-')) break;
    const { name = '', value } = GO_FLAG.exec(word)?.groups ?? {};
    const flag = FLAGS.get(name);
    if (flag === undefined)
      throw new UsageError(
        `neither nidhogg nor the Node Readiness Controller has ${excerptOf(word)}`,
      );
    if (value !== undefined) given.set(name, value);
    else if (flag.kind === 'switch') given.set(name, 'true');
    else {
      at++;
      const next = args[at];
      if (next === undefined) throw new UsageError(`--${name} needs a value`);
      given.set(name, next);
    }
  }
  return given;
}

function refuseUnserved(given: ReadonlyMap<string, string>): void {
  for (const [name, value] of given) {
    const { kind, insteadOf } = FLAGS.get(name) ?? {};
    const isOff = value === '' || (kind === 'switch' && FALSE.has(value));
    if (insteadOf !== undefined && !isOff)
      throw new UsageError(`--${name} is not served here; ${insteadOf}`);
  }
}

/** Whose flags these are. */
function programOf(names: readonly string[]): ReplacedProgram {
  const of = new Set(names.map((name) => FLAGS.get(name)?.of).filter((one) => one !== 'both'));
  const [program] = of;
  if (of.size > 1)
    throw new UsageError('these flags are of nidhogg and of the Node Readiness Controller');
  if (program === undefined)
    throw new UsageError(
      'name --config-file to replace nidhogg, or --health-probe-bind-address to replace the Node Readiness Controller',
    );
  return program;
}

/** An address of 0 is none, as controller-runtime has it. */
function served(...addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses)].filter((one) => one !== SWITCHED_OFF && one !== '');
}

function filled(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

/**
 * The flags of nidhogg's manager, or of that of the Node Readiness Controller, with their defaults.
 *
 * @throws UsageError for a flag that neither has, and for one that asks for what is not served here
 */
export function readReplacementFlags(args: readonly string[]): ReplacementFlags {
  const given = givenFlags(args);
  refuseUnserved(given);
  const program = programOf([...given.keys()]);
  const same = {
    program,
    kubeconfig: filled(given.get('kubeconfig')),
    ignored: [...given.keys()].filter((name) => !OBEYED.has(name)).map((name) => `--${name}`),
  };
  if (program === 'nidhogg')
    return {
      ...same,
      configFile: given.get('config-file') ?? 'config.json',
      listens: served(given.get('metrics-addr') ?? ':8080'),
      namespace: filled(given.get('leader-namespace')),
    };
  return {
    ...same,
    configFile: null,
    listens: served(
      given.get('health-probe-bind-address') ?? ':8081',
      given.get('metrics-bind-address') ?? SWITCHED_OFF,
    ),
    namespace: filled(given.get('leader-election-namespace')),
  };
}
