import {
  DEFAULT_MODE,
  MANIFEST_TARGETS,
  type NetworkMode,
  type WarmTargets,
} from '../../../capacity/mode.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { CAPACITY } from '../declared/capacity.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { pathsAndNames } from '../options/words.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof CAPACITY.options>;
type Output = Values['output'];

function modeOf(values: Values): NetworkMode {
  const prefix = values['prefix-delegation'] ? 'prefix' : DEFAULT_MODE.addressing;
  return {
    addressing: values.ipv6 ? 'ipv6' : prefix,
    customNetworking: values['custom-networking'],
    podEni: values['pod-eni'],
    maxEni: values['max-eni'],
    cniVersion: values['cni-version'],
  };
}

function targetsOf(values: Values): WarmTargets {
  return {
    warmEniTarget: values['warm-eni-target'] ?? MANIFEST_TARGETS.warmEniTarget,
    warmIpTarget: values['warm-ip-target'],
    minimumIpTarget: values['minimum-ip-target'],
    warmPrefixTarget: values['warm-prefix-target'] ?? MANIFEST_TARGETS.warmPrefixTarget,
  };
}

/** Prints a document as asked; `text` makes the page only when it is wanted. */
async function print(
  document: object,
  output: Output,
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
  const { values, words } = parseCommandLine(CAPACITY, args);
  const { output } = values;
  if (values.type !== null) {
    if (words.length > 0)
      throw new UsageError('--type computes one type before launch; use it without machines');
    return planned(values.type, values, output, context);
  }
  if (values.subnet.length > 0)
    throw new UsageError('--subnet needs a type: rollcall capacity --type TYPE --subnet SUBNET');
  return observed(words, values, output, context);
}

async function planned(
  type: string,
  values: Values,
  output: Output,
  context: CliContext,
): Promise<number> {
  const [{ planOf, verdictOfPlan }, { planPage }, { gatherPlan }] = await Promise.all([
    import('../../../capacity/cluster/plan.ts'),
    import('../pages/capacity-page.ts'),
    import('../live/capacity-collect.ts'),
  ]);
  const question = {
    type,
    subnets: [...new Set(values.subnet)],
    mode: modeOf(values),
    targets: targetsOf(values),
    maxPods: values['max-pods'],
    image: values.image,
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
  output: Output,
  context: CliContext,
): Promise<number> {
  const [{ capacityDocument, verdictOfCapacity }, { clusterPage }, collect] = await Promise.all([
    import('../../../capacity/cluster/cluster-capacity.ts'),
    import('../pages/capacity-page.ts'),
    import('../live/capacity-collect.ts'),
  ]);
  const { paths, names } = pathsAndNames(words);
  const evidence =
    paths.length > 0
      ? await collect.capacityOfFiles(paths, names, context)
      : await collect.capacityOfCluster(names, liveFlagsOf(values), context);
  const document = capacityDocument(evidence);
  if (names.length > 0 && document.nodes.length === 0)
    throw new UsageError(
      `no such Node or instance: ${quoted(names[0] ?? '')}; list them: rollcall status -o name`,
    );
  await print(document, output, () => clusterPage(document), context);
  return exitCodeOfVerdict(verdictOfCapacity(document));
}
