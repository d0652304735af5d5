import type { GivenNames, NamingDocument } from '../../../capacity/naming/document.ts';
import type { CloudProvider, ImageFamily, ImageOptions } from '../../../domain/naming/input.ts';
import type { NamesSeen } from '../../../domain/naming/names-table.ts';
import { worstOf } from '../../../evidence/verdict.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { IMAGE_FAMILIES, NAME } from '../declared/name.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { unknownWord } from '../options/values.ts';
import { pathsAndNames } from '../options/words.ts';
import { structured } from '../structured.ts';

type Values = ParsedOptions<typeof NAME.options>;
type Output = Values['output'];

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

function seenOf(values: Values): Partial<NamesSeen> {
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
    ...said('region', values.region),
  };
}

/** The common name alone, also out of what `openssl x509 -subject` prints. */
function certificateName(text: string): string {
  return /CN\s*=\s*(\S+)/.exec(text)?.[1] ?? text;
}

function optionsOf(values: Values): ImageOptions {
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
  const { output } = values;
  const given = { seen: seenOf(values), options: optionsOf(values) };
  const { paths, names } = pathsAndNames(words);
  const [asked = null, ...more] = names;
  if (more.length > 0)
    throw new UsageError('name takes one machine, or none for all: rollcall name INSTANCE');
  const isLaunch = words.length === 0 && LAUNCH_FLAGS.some((flag) => values[flag] !== null);
  if (isLaunch) return beforeLaunch(values, given, output, context);
  return observed(paths, asked, { values, given, output }, context);
}

async function beforeLaunch(
  values: Values,
  given: GivenNames,
  output: Output,
  context: CliContext,
): Promise<number> {
  const { namingBeforeLaunch } = await import('../live/naming-collect.ts');
  const { image, subnet } = values;
  const imageId = image !== null && isImageId(image) ? image : null;
  const place = { subnetId: subnet, imageId };
  const document = await namingBeforeLaunch(place, given, liveFlagsOf(values));
  await print([document], true, output, context);
  return exitCode([document]);
}

interface Question {
  readonly values: Values;
  readonly given: GivenNames;
  readonly output: Output;
}

async function observed(
  paths: readonly string[],
  asked: string | null,
  { values, given, output }: Question,
  context: CliContext,
): Promise<number> {
  const { namingOfCluster, namingOfFiles } = await import('../live/naming-collect.ts');
  const documents = await (paths.length > 0
    ? namingOfFiles(paths, asked, given, context)
    : namingOfCluster(asked, given, liveFlagsOf(values), context));
  await print(documents, asked !== null, output, context);
  return exitCode(documents);
}

async function exitCode(documents: readonly NamingDocument[]): Promise<number> {
  const { verdictOfNaming } = await import('../../../capacity/naming/document.ts');
  return exitCodeOfVerdict(worstOf(documents.map(verdictOfNaming)));
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
