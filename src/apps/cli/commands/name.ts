import { existsSync } from 'node:fs';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import type { GivenNames, NamingDocument } from '../../../capacity/naming/document.ts';
import type { CloudProvider, ImageFamily, ImageOptions } from '../../../capacity/naming/input.ts';
import type { NamesSeen } from '../../../capacity/naming/names-table.ts';
import { worstOf } from '../../../evidence/verdict.ts';
import { type CliContext, UsageError } from '../context.ts';
import { exitCodeOfVerdict } from '../exit-code.ts';
import { LIVE_OPTIONS, liveFlagsOf } from '../live/flags.ts';
import { structured } from '../structured.ts';

const FLAGS = {
  output: { type: 'string', short: 'o', default: 'text' },
  subnet: { type: 'string' },
  image: { type: 'string' },
  version: { type: 'string' },
  'cloud-provider': { type: 'string' },
  naming: { type: 'string' },
  'dhcp-domain': { type: 'string' },
  'dns-hostnames': { type: 'string' },
  'hostname-override': { type: 'string' },
  hostname: { type: 'string' },
  'local-hostname': { type: 'string' },
  certificate: { type: 'string' },
  ip: { type: 'string' },
  instance: { type: 'string' },
  'instance-id-node-name': { type: 'boolean' },
  'hostname-override-source': { type: 'string' },
  'ip-based-node-names': { type: 'boolean' },
  'kops-version': { type: 'string' },
  ...LIVE_OPTIONS,
} satisfies ParseArgsOptionsConfig;

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
}

type Values = ReturnType<typeof parsed>['values'];

const OUTPUTS = ['text', 'json', 'yaml'] as const;
type Output = (typeof OUTPUTS)[number];

const IMAGES: readonly ImageFamily[] = [
  'al2',
  'al2023',
  'bottlerocket',
  'ubuntu',
  'windows',
  'rhel',
  'openshift4',
  'openshift3',
  'kops',
  'flatcar',
  'eks-auto',
  'fargate',
  'hybrid',
  'other',
];

function oneOf<T extends string>(flag: string, text: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === text);
  if (found !== undefined) return found;
  throw new UsageError(`--${flag} takes ${choices.join(', ')}; "${text}" is none of them.`);
}

function isImageId(text: string): boolean {
  return /^ami-[0-9a-f]{8,17}$/.test(text);
}

function providerOf(text: string): CloudProvider {
  const [word = '', version = null] = text.split('=');
  const kind = oneOf('cloud-provider', word, ['in-tree', 'external', 'none'] as const);
  return kind === 'external' ? { kind, controllerVersion: version } : { kind };
}

/** Only what was said: a missing flag leaves what the APIs say. */
function said<K extends keyof NamesSeen>(
  key: K,
  value: NamesSeen[K] | undefined,
): Partial<NamesSeen> {
  return value === undefined ? {} : { [key]: value };
}

function seenOf(values: Values): Partial<NamesSeen> {
  const { image, naming, region, certificate } = values;
  const provider = values['cloud-provider'];
  const hostnames = values['dns-hostnames'];
  return {
    ...said(
      'image',
      image === undefined || isImageId(image) ? undefined : oneOf('image', image, IMAGES),
    ),
    ...said('kubeletVersion', values.version),
    ...said('cloudProvider', provider === undefined ? undefined : providerOf(provider)),
    ...said(
      'hostnameType',
      naming === undefined
        ? undefined
        : oneOf('naming', naming, ['ip-name', 'resource-name'] as const),
    ),
    ...said('dhcpDomain', values['dhcp-domain']),
    ...said(
      'dnsHostnames',
      hostnames === undefined
        ? undefined
        : oneOf('dns-hostnames', hostnames, ['on', 'off']) === 'on',
    ),
    ...said('hostnameOverride', values['hostname-override']),
    ...said('osHostname', values.hostname),
    ...said('imdsLocalHostname', values['local-hostname']),
    ...said(
      'certificateName',
      certificate === undefined ? undefined : certificateName(certificate),
    ),
    ...said('privateIp', values.ip),
    ...said('instanceId', values.instance),
    ...said('region', region),
  };
}

/** The common name alone, also out of what `openssl x509 -subject` prints. */
function certificateName(text: string): string {
  return /CN\s*=\s*(\S+)/.exec(text)?.[1] ?? text;
}

function optionsOf(values: Values): ImageOptions {
  const source = values['hostname-override-source'];
  const byId = values['instance-id-node-name'];
  const byIp = values['ip-based-node-names'];
  const kopsVersion = values['kops-version'];
  return {
    ...(byId === undefined ? {} : { instanceIdNodeName: byId }),
    ...(byIp === undefined ? {} : { ipBasedNodeNames: byIp }),
    ...(kopsVersion === undefined ? {} : { kopsVersion }),
    ...(source === undefined
      ? {}
      : {
          hostnameOverrideSource: oneOf('hostname-override-source', source, [
            'private-dns-name',
            'instance-id',
          ] as const),
        }),
  };
}

const LAUNCH_FLAGS = ['subnet', 'image', 'ip'] as const;

/** The name of a machine, today and by the rules; of all machines; or before it is launched. */
export async function nameCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, positionals } = parsed(args);
  const output = oneOf('output', values.output, OUTPUTS);
  const given = { seen: seenOf(values), options: optionsOf(values) };
  const isPath = (word: string): boolean => word === '-' || word.includes('/') || existsSync(word);
  const [asked = null, ...more] = positionals.filter((word) => !isPath(word));
  if (more.length > 0)
    throw new UsageError('Name one machine, or none for all of them: rollcall name INSTANCE');
  const isLaunch = positionals.length === 0 && LAUNCH_FLAGS.some((flag) => flag in values);
  if (isLaunch) return beforeLaunch(values, given, output, context);
  return observed(positionals.filter(isPath), asked, { values, given, output }, context);
}

async function beforeLaunch(
  values: Values,
  given: GivenNames,
  output: Output,
  context: CliContext,
): Promise<number> {
  const { namingBeforeLaunch } = await import('../live/naming-collect.ts');
  const { image, subnet } = values;
  const imageId = image !== undefined && isImageId(image) ? image : null;
  const place = { subnetId: subnet ?? null, imageId };
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
    const { machinePage, machinesPage } = await import('../../../capacity/naming/page.ts');
    const rows =
      isOne && only !== undefined
        ? machinePage(only)
        : machinesPage(documents, only?.notObservable ?? []);
    context.out(`${rows.join('\n')}\n`);
  }
}
