import {
  DEFAULT_MODE,
  MANIFEST_TARGETS,
  type NetworkMode,
  type WarmTargets,
} from '../../../capacity/mode.ts';
import type { Verdict } from '../../../evidence/verdict.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { CAPACITY } from '../declared/capacity.ts';
import type { LIVE_OPTIONS } from '../declared/shared.ts';
import { type LiveFlags, liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { pathsAndNames } from '../options/words.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof CAPACITY.options>;
/** What is known or assumed of a type before launch. */
export type PlanValues = Omit<Values, 'output' | keyof typeof LIVE_OPTIONS>;

function modeOf(values: PlanValues): NetworkMode {
  const prefix = values['prefix-delegation'] ? 'prefix' : DEFAULT_MODE.addressing;
  return {
    addressing: values.ipv6 ? 'ipv6' : prefix,
    customNetworking: values['custom-networking'],
    podEni: values['pod-eni'],
    maxEni: values['max-eni'],
    cniVersion: values['cni-version'],
  };
}

function targetsOf(values: PlanValues): WarmTargets {
  return {
    warmEniTarget: values['warm-eni-target'] ?? MANIFEST_TARGETS.warmEniTarget,
    warmIpTarget: values['warm-ip-target'],
    minimumIpTarget: values['minimum-ip-target'],
    warmPrefixTarget: values['warm-prefix-target'] ?? MANIFEST_TARGETS.warmPrefixTarget,
  };
}

/** What is shown of an answer: the document, its page when it is wanted, and how good it is. */
export interface CapacityAnswer {
  readonly document: object;
  readonly page: () => readonly string[];
  readonly verdict: Verdict;
}

/** Addresses and pods of a cluster, of files, or of one type before it is launched. */
export async function capacityCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values, words } = parseCommandLine(CAPACITY, args);
  const { output } = values;
  const asked = { values, flags: liveFlagsOf(values), ...pathsAndNames(words) };
  const { document, page, verdict } = await capacityAnswer(asked, context);
  const isText = output === 'text';
  context.out(isText ? `${page().join('\n')}\n` : await structured(document, output));
  return exitCodeOfVerdict(verdict);
}

export interface CapacityQuestion {
  readonly values: PlanValues;
  readonly flags: LiveFlags;
  readonly paths: readonly string[];
  /** Nodes or instances; all when there are none. */
  readonly names: readonly string[];
}

/** Answers without printing. */
export async function capacityAnswer(
  { values, flags, paths, names }: CapacityQuestion,
  context: CliContext,
): Promise<CapacityAnswer> {
  if (values.type !== null) {
    if (paths.length + names.length > 0)
      throw new UsageError('--type computes one type before launch; use it without machines');
    return planned(values.type, values, flags, context);
  }
  if (values.subnet.length > 0)
    throw new UsageError('--subnet needs a type: rollcall capacity --type TYPE --subnet SUBNET');
  return observed({ paths, names }, flags, context);
}

async function planned(
  type: string,
  values: PlanValues,
  flags: LiveFlags,
  context: CliContext,
): Promise<CapacityAnswer> {
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
  const { observations, unseen } = await gatherPlan(question, flags, context.ending);
  const plan = planOf(question, observations, unseen);
  const { document, capacity, notes } = plan;
  const page = (): readonly string[] => planPage(document, capacity, notes);
  return { document, page, verdict: verdictOfPlan(plan) };
}

async function observed(
  { paths, names }: Pick<CapacityQuestion, 'paths' | 'names'>,
  flags: LiveFlags,
  context: CliContext,
): Promise<CapacityAnswer> {
  const [{ capacityDocument, verdictOfCapacity }, { clusterPage }, collect] = await Promise.all([
    import('../../../capacity/cluster/cluster-capacity.ts'),
    import('../pages/capacity-page.ts'),
    import('../live/capacity-collect.ts'),
  ]);
  const evidence =
    paths.length > 0
      ? await collect.capacityOfFiles(paths, names, context)
      : await collect.capacityOfCluster(names, flags, context);
  const document = capacityDocument(evidence);
  if (names.length > 0 && document.nodes.length === 0)
    throw new UsageError(
      `no such Node or instance: ${quoted(names[0] ?? '')}; list them: rollcall status -o name`,
    );
  const page = (): readonly string[] => clusterPage(document);
  return { document, page, verdict: verdictOfCapacity(document) };
}
