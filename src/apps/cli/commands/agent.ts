import { AGENT } from '../declared/agent.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { addressIn } from '../options/address.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { DEFAULT_PROBES, PROBE_NAMES, type ProbeName } from '../../../domain/nodes/agent-probes.ts';
import type { InjectedIdentity } from '../../../collection/agent/identity.ts';
import { IDENTITY_WAYS } from '../../../domain/pods/identity.ts';
import type { AgentRun } from '../../agent/run.ts';

type Values = ParsedOptions<typeof AGENT.options>;

const DNS_NAME = 'kubernetes.default.svc.cluster.local';
const DISK = '/var/lib/rollcall';
/** An answer has to outlive a few looks. */
const LOOKS_MIN = 3;

/** What a probe cannot do without, as the option that is missing. */
const NEEDS: Partial<Readonly<Record<ProbeName, (values: Values) => string | null>>> = {
  identity: ({ identity }) => (identity === null ? '--identity WAY' : null),
  csi: ({ 'csi-driver': drivers }) => (drivers.length === 0 ? '--csi-driver NAME' : null),
  'image-path': ({ registry }) => (registry.length === 0 ? '--registry HOST' : null),
};

/** `rollcall agent`: looks until a signal ends it. */
export async function agentCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values } = parseCommandLine(AGENT, args);
  const file = values['write-machine-state'];
  if (file !== null) {
    const { runMachine } = await import('../../agent/machine.ts');
    const { logs, 'machine-root': root } = values;
    await runMachine({ file, root, logs, out: context.out, err: context.err });
    return EXIT.usable;
  }
  const run = runOf(values, context);
  const { runAgent } = await import('../../agent/run.ts');
  await runAgent(run);
  return EXIT.usable;
}

/** @throws UsageError */
function runOf(values: Values, { out, err }: CliContext): AgentRun {
  const { interval: intervalMs, fresh: freshnessMs, heartbeat: heartbeatMs } = values;
  if (freshnessMs < LOOKS_MIN * intervalMs)
    throw new UsageError(`--fresh must be at least ${LOOKS_MIN} times --interval`);
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    node: nodeOf(values),
    namespace: values.namespace,
    probes: probesOf(values),
    settings: settingsOf(values),
    direct: values['api-server'].map((text) => addressIn('api-server', text)),
    rules: { successesForTrue: values.successes, freshnessMs, heartbeatMs },
    machineState: values['machine-state'],
    machineRoot: values['machine-root'],
    listen: addressIn('listen', values.listen),
    writesConditions: values.conditions,
    isDryRun: values['dry-run'],
    say: (line) => out(`${line}\n`),
    err,
  };
}

/** @throws UsageError */
function nodeOf({ node }: Values): string {
  const name = node ?? process.env['NODE_NAME'] ?? '';
  if (name !== '') return name;
  throw new UsageError('agent needs the name of its Node: --node NAME, or $NODE_NAME');
}

/** @throws UsageError */
function probesOf(values: Values): readonly ProbeName[] {
  const named = PROBE_NAMES.filter((name) => values.probes.includes(name));
  const probes = named.length === 0 ? DEFAULT_PROBES : named;
  for (const name of probes) {
    const missing = NEEDS[name]?.(values) ?? null;
    if (missing !== null) throw new UsageError(`the probe ${name} needs ${missing}`);
  }
  return probes;
}

function settingsOf(values: Values): AgentRun['settings'] {
  const way = IDENTITY_WAYS.find((one) => one === values.identity);
  const role = values['identity-role'];
  const names = values['dns-name'];
  const disks = values.disk;
  return {
    intervalMs: values.interval,
    names: names.length === 0 ? [DNS_NAME] : names,
    peerPort: addressIn('listen', values.listen).port,
    nodeRole: values['node-role'],
    isMetadataBlocked: values['metadata-blocked'],
    identity: way === undefined ? null : { way, role, injected: injectedIn(process.env) },
    csiDrivers: values['csi-driver'],
    csiFolder: values['csi-sockets'],
    registries: values.registry,
    disks: disks.length === 0 ? [DISK] : disks,
  };
}

/** What the webhooks of IRSA and Pod Identity put into a pod. */
function injectedIn(env: NodeJS.ProcessEnv): InjectedIdentity {
  return {
    region: env['AWS_REGION'] ?? null,
    roleArn: env['AWS_ROLE_ARN'] ?? null,
    webTokenFile: env['AWS_WEB_IDENTITY_TOKEN_FILE'] ?? null,
    credentialsUri: env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] ?? null,
    credentialsTokenFile: env['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'] ?? null,
  };
}
