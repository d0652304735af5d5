import type { NamingDocument } from '../../../capacity/naming/document.ts';
import type {
  CloudProvider,
  ImageFamily,
  ImageOptions,
  LaunchPlace,
} from '../../../domain/naming/input.ts';
import type { NamesSeen } from '../../../domain/naming/names-table.ts';
import { type Verdict, worstOf } from '../../../evidence/verdict.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { IMAGE_FAMILIES, NAME } from '../declared/name.ts';
import type { LIVE_OPTIONS } from '../declared/shared.ts';
import { type LiveFlags, liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { unknownWord } from '../options/values.ts';
import { pathsAndNames } from '../options/words.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof NAME.options>;
type Output = Values['output'];
/** What is known or assumed of a machine. */
export type NameValues = Omit<Values, 'output' | keyof typeof LIVE_OPTIONS>;

function oneOf<T extends string>(noun: string, text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text);
  if (found !== undefined) return found;
  throw unknownWord(noun, text, choices);
}

function isImageId(text: string): boolean {
  return /^ami-[0-9a-f]{8,17}$/.test(text);
}

function providerOf(text: string): CloudProvider {
  const [word = '', version = null] = text.split('=');
  const kind = oneOf('cloud provider', word, ['in-tree', 'external', 'none'] as const);
  return kind === 'external' ? { kind, controllerVersion: version } : { kind };
}

/** Only what was said: a missing flag leaves what the APIs say. */
function said<K extends keyof NamesSeen>(key: K, value: NamesSeen[K] | null): Partial<NamesSeen> {
  return value === null ? {} : { [key]: value };
}

function familyOf(image: string | null): ImageFamily | null {
  if (image === null || isImageId(image)) return null;
  return oneOf('image family', image, IMAGE_FAMILIES);
}

function seenOf(values: NameValues, { region }: LiveFlags): Partial<NamesSeen> {
  const { certificate, 'cloud-provider': provider, 'dns-hostnames': hostnames } = values;
  return {
    ...said('image', familyOf(values.image)),
    ...said('kubeletVersion', values.version),
    ...said('cloudProvider', provider === null ? null : providerOf(provider)),
    ...said('hostnameType', values.naming),
    ...said('dhcpDomain', values['dhcp-domain']),
    ...said('dnsHostnames', hostnames === null ? null : hostnames === 'on'),
    ...said('hostnameOverride', values['hostname-override']),
    ...said('osHostname', values.hostname),
    ...said('imdsLocalHostname', values['local-hostname']),
    ...said('certificateName', certificate === null ? null : certificateName(certificate)),
    ...said('privateIp', values.ip),
    ...said('instanceId', values.instance),
    ...said('region', region ?? null),
  };
}

/** The common name alone, also out of what `openssl x509 -subject` prints. */
function certificateName(text: string): string {
  return /CN\s*=\s*(\S+)/.exec(text)?.[1] ?? text;
}

function optionsOf(values: NameValues): ImageOptions {
  const source = values['hostname-override-source'];
  const kopsVersion = values['kops-version'];
  return {
    ...(values['instance-id-node-name'] ? { instanceIdNodeName: true } : {}),
    ...(values['ip-based-node-names'] ? { ipBasedNodeNames: true } : {}),
    ...(kopsVersion === null ? {} : { kopsVersion }),
    ...(source === null ? {} : { hostnameOverrideSource: source }),
  };
}

const LAUNCH_FLAGS = ['subnet', 'image', 'ip'] as const;

/** The name of a machine, today and by the rules; of all machines; or before it is launched. */
export async function nameCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, words } = parseCommandLine(NAME, args);
  const asked = { values, flags: liveFlagsOf(values), ...pathsAndNames(words) };
  const { documents, isOne, verdict } = await nameAnswer(asked, context);
  await print(documents, isOne, values.output, context);
  return exitCodeOfVerdict(verdict);
}

export interface NameQuestion {
  readonly values: NameValues;
  readonly flags: LiveFlags;
  readonly paths: readonly string[];
  /** An instance, a Node or an address; all machines when there is none. */
  readonly names: readonly string[];
}

export interface NameAnswer {
  readonly documents: readonly NamingDocument[];
  /** True where one machine was asked about. */
  readonly isOne: boolean;
  readonly verdict: Verdict;
}

/** Answers without printing. */
export async function nameAnswer(
  { values, flags, paths, names }: NameQuestion,
  context: CliContext,
): Promise<NameAnswer> {
  const given = { seen: seenOf(values, flags), options: optionsOf(values) };
  const [asked = null, ...more] = names;
  if (more.length > 0)
    throw new UsageError('name takes one machine, or none for all: rollcall name INSTANCE');
  const isLaunch =
    paths.length + names.length === 0 && LAUNCH_FLAGS.some((flag) => values[flag] !== null);
  const collect = await import('../live/naming-collect.ts');
  const documents = isLaunch
    ? [await collect.namingBeforeLaunch(placeOf(values), given, flags, context.ending)]
    : await (paths.length > 0
        ? collect.namingOfFiles(paths, asked, given, context)
        : collect.namingOfCluster(asked, given, flags, context));
  const { verdictOfNaming } = await import('../../../capacity/naming/document.ts');
  const verdict = worstOf(documents.map(verdictOfNaming));
  return { documents, isOne: isLaunch || asked !== null, verdict };
}

function placeOf({ image, subnet }: NameValues): LaunchPlace {
  return { subnetId: subnet, imageId: image !== null && isImageId(image) ? image : null };
}

/** One machine is a page and one document; all of them are a table and a list. */
async function print(
  documents: readonly NamingDocument[],
  isOne: boolean,
  output: Output,
  context: CliContext,
): Promise<void> {
  const [only] = documents;
  const list = { apiVersion: 'rollcall.dev/v1alpha1', kind: 'NamingList', items: documents };
  const value = isOne && only !== undefined ? only : list;
  if (output !== 'text') context.out(await structured(value, output));
  else {
    const { machinePage, machinesPage } = await import('../pages/name-page.ts');
    const rows =
      isOne && only !== undefined
        ? machinePage(only)
        : machinesPage(documents, only?.notObservable ?? []);
    context.out(`${rows.join('\n')}\n`);
  }
}
