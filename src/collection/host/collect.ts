import type { Clock } from '../../ports/clock.ts';
import type { Host } from '../../ports/host.ts';
import { certificateItems } from './certificate.ts';
import { documentOf, type HostItem, isLoss, lossOf } from './document.ts';
import { type Imds, imdsItems, imdsRegion, readImds } from './imds.ts';
import { readJournalItems, readSyslogItems } from './journals.ts';
import { apiServerOf } from './kubeconfig.ts';
import { machineItems, shortText } from './machine.ts';
import { COMMANDS, FILES, FOLDERS, JOURNALS, SYSCTLS } from './plan.ts';
import { probeItems } from './probes.ts';
import { createReach, type Reach, refusal } from './reach.ts';
import { readCommandItems, readFileItems, readFolderItems } from './read.ts';
import { runTasks, type Task, withoutRepeats } from './tasks.ts';
import { userDataItems } from './user-data.ts';

export { type HostDocument, type HostItem, type HostLoss, isLoss } from './document.ts';

export interface CollectOptions {
  /** Time for everything together, ms. */
  readonly limitMs?: number;
  /** How many commands and files are read at a time. */
  readonly parallel?: number;
}

const LIMIT_MS = 20_000;
const PARALLEL = 6;

/** The region in the name of an EKS API server; the services of that region are looked up. */
const REGION_IN_SERVER = /\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com/;

/**
 * Everything that this machine can say about why it is or is not a node, read only: documents in
 * the form in which the readers know them from pasted files and archives, and as losses what could
 * not be read, with the reason and the command that helps. Ends within the limit, whatever hangs.
 */
export async function* collectHost(
  host: Host,
  clock: Clock,
  { limitMs = LIMIT_MS, parallel = PARALLEL }: CollectOptions = {},
): AsyncGenerator<HostItem> {
  const reach = createReach(host, clock, limitMs);
  let hasKubelet = false;
  for await (const item of withoutRepeats(
    runTasks(tasksOf(reach, clock), clock, { parallel, limitMs }),
  )) {
    hasKubelet ||= !isLoss(item) && isOfKubelet(item.name);
    yield item;
  }
  if (!hasKubelet) yield lossOf('kubelet', noKubelet(host.hostname()));
}

/** Its journal, its settings or its credentials; every systemd machine can show that it has none. */
function isOfKubelet(name: string): boolean {
  return /^kubelet\/|^files\/(?:etc\/kubernetes|var\/lib\/kubelet)\//.test(name);
}

function noKubelet(hostname: string): string {
  return `No kubelet journal, settings or credentials on ${hostname}: the kubelet never ran here, or this user cannot read them.`;
}

function tasksOf(reach: Reach, clock: Clock): readonly Task[] {
  const { host } = reach;
  let asked: Promise<Imds> | null = null;
  const imds = (): Promise<Imds> => (asked ??= readImds(host));
  const files = FILES.map((plan) => ({
    what: plan.path,
    run: () => readFileItems(reach, plan),
  }));
  const folders = FOLDERS.map((plan) => ({
    what: plan.path,
    run: () => readFolderItems(reach, plan),
  }));
  return [
    { what: 'The instance id', run: async () => machineItems(host, await imds()) },
    { what: 'Instance metadata', run: async () => imdsItems(await imds()) },
    ...JOURNALS.map((plan) => ({
      what: plan.argv.join(' '),
      run: () => readJournalItems(reach, plan),
    })),
    { what: '/var/log/messages', run: () => readSyslogItems(reach) },
    ...files,
    { what: 'User data', run: async () => userDataItems(reach, await imds()) },
    ...folders,
    { what: 'Kernel parameters', run: () => sysctlItems(host) },
    { what: 'The client certificate', run: () => certificateItems(reach) },
    { what: 'The probes of the API server', run: () => probed(reach, clock, imds()) },
    ...COMMANDS.map((plan) => ({
      what: plan.argv.join(' '),
      run: () => readCommandItems(reach, plan),
    })),
    { what: 'Interface counters', run: () => interfaceItems(reach) },
    { what: 'The sockets of the container runtime', run: () => socketItems(reach) },
  ];
}

async function probed(
  reach: Reach,
  clock: Clock,
  imds: Promise<Imds>,
): Promise<readonly HostItem[]> {
  const apiServer = await apiServerOf(reach.host);
  const named = REGION_IN_SERVER.exec(apiServer?.name ?? '')?.[1] ?? null;
  return probeItems(reach, clock, { apiServer, region: named ?? imdsRegion(await imds) });
}

/** Kernel parameters in the form of `sysctl -a`, read without it. */
async function sysctlItems(host: Host): Promise<readonly HostItem[]> {
  const lines = await Promise.all(
    SYSCTLS.map(async (name) => {
      const value = await shortText(host, `/proc/sys/${name.replaceAll('.', '/')}`, 1024);
      return value === null ? [] : [`${name} = ${value}`];
    }),
  );
  const text = lines.flat().join('\n');
  if (text === '') return [];
  return [documentOf('/proc/sys', 'sysctls/sysctl_all.txt', `${text}\n`, { source: 'host-file' })];
}

const INTERFACES_MAX = 4;

/** What the network card counts, with the allowances of EC2 that were exceeded. */
async function interfaceItems(reach: Reach): Promise<readonly HostItem[]> {
  const names = await namesIn(reach.host, '/sys/class/net');
  const cards = names.filter((name) => /^(?:eth|ens|enp)\w+$/.test(name)).slice(0, INTERFACES_MAX);
  const items = await Promise.all(
    cards.map((card) =>
      readCommandItems(reach, {
        argv: ['ethtool', '-S', card],
        name: `networking/ethtool-${card}.txt`,
        source: 'host-file',
        isOptional: true,
      }),
    ),
  );
  return items.flat();
}

const SOCKETS: readonly (readonly [folder: string, name: string])[] = [
  ['/run/containerd', 'containerd.sock'],
  ['/run/crio', 'crio.sock'],
  ['/run', 'docker.sock'],
];

/** Which container runtimes listen, in the form of `ls`. */
async function socketItems({ host }: Reach): Promise<readonly HostItem[]> {
  const found = await Promise.all(
    SOCKETS.map(async ([folder, name]) => {
      const names = await namesIn(host, folder);
      return names.includes(name) ? [`${folder}/${name}`] : [];
    }),
  );
  const text = found.flat().join('\n');
  if (text === '') return [];
  const locator = `ls ${SOCKETS.map(([folder, name]) => `${folder}/${name}`).join(' ')}`;
  return [documentOf(locator, 'containerd/sockets.txt', `${text}\n`, { source: 'host-file' })];
}

async function namesIn(host: Host, folder: string): Promise<readonly string[]> {
  try {
    return await host.listFolder(folder);
  } catch (error) {
    refusal(error);
    return [];
  }
}
