import { DEFAULT_MODE } from '../../../capacity/mode.ts';
import type { SpotDemand } from '../../../capacity/spot/demand.ts';
import { type SpotDocument, spotDocument } from '../../../capacity/spot/document.ts';
import type { FormatOptions } from '../../../capacity/spot/formats.ts';
import { DEFAULT_RULES, type SpotRules } from '../../../capacity/spot/rules.ts';
import { type CliContext, SourceError, UsageError } from '../context.ts';
import { SPOT } from '../declared/spot.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { Gathered, SpotWish } from '../live/spot-collect.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { mustBeZones } from '../options/zones.ts';
import { structured } from '../structured.ts';
import { readSmallFile } from '../table/small-file.ts';

type Values = ParsedOptions<typeof SPOT.options>;

const DAY_MS = 24 * 3_600_000;
/** What Kubernetes, Auto Scaling, Terraform and eksctl all take as a name. */
const NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

function demandOf(values: Values): SpotDemand {
  const { vcpus, memory, gpus, pods, zone } = values;
  if (vcpus === null && memory === null && gpus === null && pods === null)
    throw new UsageError('spot needs to know how much is wanted: rollcall spot --vcpus 64');
  mustBeZones(zone);
  const nodeVcpus = { least: values['min-node-vcpus'], most: values['max-node-vcpus'] };
  if (nodeVcpus.least > nodeVcpus.most)
    throw new UsageError(
      `--min-node-vcpus ${nodeVcpus.least} is more than --max-node-vcpus ${nodeVcpus.most}`,
    );
  const addressing = values['prefix-delegation'] ? 'prefix' : DEFAULT_MODE.addressing;
  return {
    vcpus,
    memoryGiB: memory,
    gpus,
    pods,
    architectures: [...new Set(values.arch)],
    zones: [...new Set(zone)],
    nodeVcpus,
    daemonPods: values['daemon-pods'],
    mode: { ...DEFAULT_MODE, addressing },
  };
}

async function rulesOf(path: string | null): Promise<SpotRules> {
  if (path === null) return DEFAULT_RULES;
  const { readSpotRules } = await import('../../../readers/spot/rules-file.ts');
  const read = readSpotRules(readSmallFile(path));
  if (read.ok) return read.rules;
  const lines = read.faults.map(({ line, why }) => `${quoted(path)}, line ${line}: ${why}`);
  throw new UsageError(lines.join('\n'));
}

/** @throws UsageError for what only `spot watch` takes */
function refuseOfWatch(values: Values): void {
  const { every, for: time, record, listen, yes } = values;
  const given = { every, for: time, record, listen, yes: yes || null };
  const [name] = Object.entries(given).find(([, value]) => value !== null) ?? [];
  if (name !== undefined) throw new UsageError(`--${name} belongs to rollcall spot watch`);
}

/** Chooses a mix of Spot pools from live prices or from files. */
export async function spotCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, words } = parseCommandLine(SPOT, args);
  const [verb, ...types] = words;
  if (verb === 'watch') {
    const { watchSpot } = await import('./spot-watch.ts');
    return await watchSpot(values, types, context);
  }
  if (verb !== undefined)
    throw new UsageError(`unexpected argument ${quoted(verb)}; see: rollcall help spot`);
  refuseOfWatch(values);
  if (!NAME.test(values.name))
    throw new UsageError(
      `--name takes up to 40 lowercase letters, digits and dashes, not ${quoted(values.name)}`,
    );
  const wish: SpotWish = {
    demand: demandOf(values),
    rules: await rulesOf(values.rules),
    historyMs: values.days * DAY_MS,
    product: values.product,
    asksScores: values['placement-scores'],
  };
  const { spotOfAws, spotOfFiles } = await import('../live/spot-collect.ts');
  const gathered =
    values.prices.length > 0
      ? await spotOfFiles([...new Set(values.prices)], wish, context)
      : await spotOfAws(wish, liveFlagsOf(values), context);
  const document = spotDocument(gathered.question);
  await print(document, gathered, values, context);
  if (document.impossible !== null) return EXIT.notUsable;
  return gathered.troubles.length > 0 ? EXIT.cannotTell : EXIT.usable;
}

async function print(
  found: SpotDocument,
  { question, troubles, region }: Gathered,
  values: Values,
  context: CliContext,
): Promise<void> {
  const { output } = values;
  const document = { ...found, unknown: [...found.unknown, ...troubles] };
  if (output === 'json' || output === 'yaml') {
    context.out(await structured(document, output));
    return;
  }
  if (output === 'text') {
    const { spotPage } = await import('../pages/spot-page.ts');
    context.out(`${spotPage(document).join('\n')}\n`);
    return;
  }
  if (document.impossible !== null) throw new SourceError(document.impossible);
  for (const unknown of document.unknown) context.err(`${unknown}\n`);
  const { cluster, name } = values;
  const options = { name, cluster, region, types: question.told.types };
  context.out(await formatted(document, output, options));
}

async function formatted(
  document: SpotDocument,
  output: 'asg' | 'karpenter' | 'eksctl' | 'terraform',
  options: FormatOptions,
): Promise<string> {
  const { asgPolicy, eksctlConfig, karpenterPool, terraformGroup } = await import(
    '../../../capacity/spot/formats.ts'
  );
  if (output === 'asg') return await structured(asgPolicy(document, options), 'json');
  if (output === 'eksctl') return await structured(eksctlConfig(document, options), 'yaml');
  return output === 'karpenter'
    ? await structured(karpenterPool(document, options), 'yaml')
    : await structured(terraformGroup(document, options), 'json');
}
