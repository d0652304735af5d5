import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { TableImage } from '../../../capacity/image-table.ts';
import {
  DEFAULT_MODE,
  MANIFEST_TARGETS,
  type NetworkMode,
  type WarmTargets,
} from '../../../capacity/mode.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { LIVE_OPTIONS, liveFlagsOf } from '../live/flags.ts';
import { structured } from '../structured.ts';

const FLAGS = {
  output: { type: 'string', short: 'o', default: 'text' },
  type: { type: 'string' },
  subnet: { type: 'string', multiple: true, default: [] as string[] },
  'max-pods': { type: 'string' },
  image: { type: 'string' },
  'prefix-delegation': { type: 'boolean', default: false },
  ipv6: { type: 'boolean', default: false },
  'custom-networking': { type: 'boolean', default: false },
  'pod-eni': { type: 'boolean', default: false },
  'max-eni': { type: 'string' },
  'cni-version': { type: 'string' },
  'warm-eni-target': { type: 'string' },
  'warm-ip-target': { type: 'string' },
  'minimum-ip-target': { type: 'string' },
  'warm-prefix-target': { type: 'string' },
  ...LIVE_OPTIONS,
} satisfies ParseArgsOptionsConfig;

type Values = ReturnType<typeof parsed>['values'];

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
}

const OUTPUTS = ['text', 'json', 'yaml'] as const;

function outputOf(text: string): (typeof OUTPUTS)[number] {
  const output = OUTPUTS.find((one) => one === text);
  if (output !== undefined) return output;
  throw new UsageError(`-o takes ${OUTPUTS.join(', ')}; "${text}" is none of them.`);
}

function countOf(values: Values, name: keyof Values): number | null {
  const text = values[name];
  if (text === undefined) return null;
  if (typeof text === 'string' && /^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes a whole number; ${JSON.stringify(text)} is none.`);
}

const TABLE_IMAGES: readonly TableImage[] = ['al2', 'al2023', 'bottlerocket'];

function imageOf({ image }: Values): TableImage | null {
  if (image === undefined) return null;
  const known = TABLE_IMAGES.find((one) => one === image);
  if (known !== undefined) return known;
  throw new UsageError(`--image takes ${TABLE_IMAGES.join(', ')}; "${image}" is none of them.`);
}

function modeOf(values: Values): NetworkMode {
  const prefix = values['prefix-delegation'] ? 'prefix' : DEFAULT_MODE.addressing;
  return {
    addressing: values.ipv6 ? 'ipv6' : prefix,
    customNetworking: values['custom-networking'],
    podEni: values['pod-eni'],
    maxEni: countOf(values, 'max-eni'),
    cniVersion: values['cni-version'] ?? null,
  };
}

function targetsOf(values: Values): WarmTargets {
  return {
    warmEniTarget: countOf(values, 'warm-eni-target') ?? MANIFEST_TARGETS.warmEniTarget,
    warmIpTarget: countOf(values, 'warm-ip-target'),
    minimumIpTarget: countOf(values, 'minimum-ip-target'),
    warmPrefixTarget: countOf(values, 'warm-prefix-target') ?? MANIFEST_TARGETS.warmPrefixTarget,
  };
}

/** Prints a document as asked; `text` makes the page only when it is wanted. */
async function print(
  document: object,
  output: (typeof OUTPUTS)[number],
  text: () => readonly string[],
  context: CliContext,
): Promise<void> {
  const isText = output === 'text';
  context.out(isText ? `${text().join('\n')}\n` : await structured(document, output));
}

/** Addresses and pods of a cluster, of files, or of one type before it is launched. */
export async function capacityCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values, positionals } = parsed(args);
  const output = outputOf(values.output);
  if (values.type !== undefined) {
    if (positionals.length > 0)
      throw new UsageError('--type asks of one type before launch; leave the machines out.');
    return planned(values.type, values, output, context);
  }
  if (values.subnet.length > 0)
    throw new UsageError('--subnet needs the type: rollcall capacity --type T --subnet S');
  return observed(positionals, values, output, context);
}

async function planned(
  type: string,
  values: Values,
  output: (typeof OUTPUTS)[number],
  context: CliContext,
): Promise<number> {
  const [{ planOf, verdictOfPlan }, { planPage }, { gatherPlan }] = await Promise.all([
    import('../../../capacity/cluster/plan.ts'),
    import('../../../capacity/cluster/page.ts'),
    import('../live/capacity-collect.ts'),
  ]);
  const question = {
    type,
    subnets: [...new Set(values.subnet)],
    mode: modeOf(values),
    targets: targetsOf(values),
    maxPods: countOf(values, 'max-pods'),
    image: imageOf(values),
  };
  const { observations, unseen } = await gatherPlan(question, liveFlagsOf(values));
  const plan = planOf(question, observations, unseen);
  const { document, capacity, notes } = plan;
  await print(document, output, () => planPage(document, capacity, notes), context);
  return exitCodeOfVerdict(verdictOfPlan(plan));
}

async function observed(
  words: readonly string[],
  values: Values,
  output: (typeof OUTPUTS)[number],
  context: CliContext,
): Promise<number> {
  const [{ capacityDocument, verdictOfCapacity }, { clusterPage }, collect] = await Promise.all([
    import('../../../capacity/cluster/cluster-capacity.ts'),
    import('../../../capacity/cluster/page.ts'),
    import('../live/capacity-collect.ts'),
  ]);
  const isPath = (word: string): boolean => word === '-' || word.includes('/') || existsSync(word);
  const paths = words.filter(isPath);
  const names = words.filter((word) => !isPath(word));
  const evidence =
    paths.length > 0
      ? await collect.capacityOfFiles(paths, names, context)
      : await collect.capacityOfCluster(names, liveFlagsOf(values), context);
  const document = capacityDocument(evidence);
  if (names.length > 0 && document.nodes.length === 0)
    throw new UsageError(
      `No Node or instance is called ${JSON.stringify((names[0] ?? '').slice(0, 100))}; all of them: kubectl get nodes`,
    );
  await print(document, output, () => clusterPage(document), context);
  return exitCodeOfVerdict(verdictOfCapacity(document));
}
