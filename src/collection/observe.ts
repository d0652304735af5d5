import { collectAws } from './aws.ts';
import { collectNodeLogs } from './node-logs.ts';
import { collectControlPlaneLogs } from './control-plane-logs.ts';
import { factValues } from '../evidence/fact-values.ts';
import { collectSsmLogs } from './ssm-logs.ts';
import { collectDetails } from './details.ts';
import type { CollectedDocument, CollectedEvidence } from './document.ts';
import { inTime } from './in-time.ts';
import { collectKubernetes, type KubeLists } from './kubernetes.ts';
import { counted } from '../domain/words.ts';
import { isAsked } from '../diagnosis/asked.ts';
import { skewOf } from '../diagnosis/clock-skew.ts';
import { alignClocks } from '../diagnosis/clocks.ts';
import type { DiagnosisDocument } from '../diagnosis/document.ts';
import { leftOpen } from '../diagnosis/left-open.ts';
import type { OnRequest } from './on-request.ts';
import { representatives } from '../diagnosis/representatives.ts';
import { type Json, listAt, textAt } from '../evidence/json.ts';
import { instanceIdIn } from '../evidence/names.ts';
import type { Observations, Refusal } from '../evidence/observations.ts';
import { isoTime } from '../evidence/time.ts';
import type { AwsApi } from '../ports/aws-api.ts';
import type { Clock } from '../ports/clock.ts';
import { EVIDENCE_VERSION } from '../readers/evidence-version.ts';
import { createReading } from '../readers/reading.ts';
import type { SignTable } from '../readers/sign-table.ts';
import { SIGN_TABLE } from '../engine/signs.ts';
import { diagnoseObservations } from '../engine/diagnose.ts';
import type { LookClients } from './look-clients.ts';
import { startTimeLimit, type TimeLimit } from './time-limit.ts';

const REGIONS_SHOWN = 3;

const NOTHING: ReadonlySet<OnRequest> = new Set();

export interface LiveOptions {
  /** null: as the kubeconfig or the instances' tags say. */
  readonly cluster: string | null;
  /** Machines that were asked about: Nodes, instances, addresses, NodeClaims; empty for all. */
  readonly asked: readonly string[];
  readonly isDeep: boolean;
  /** What is asked only where somebody says so, as its permission reaches far; nothing without. */
  readonly onRequest?: ReadonlySet<OnRequest>;
  /** How long evidence is collected; what is unanswered then is unknown. */
  readonly timeoutMs: number;
  /** Ends the collection too. */
  readonly limit?: AbortSignal;
  /** How far back lines with a stamp count, ms; null for all. */
  readonly sinceMs?: number | null;
  readonly progress: (words: string) => void;
  /** Receives every document as it comes, for `--save`. */
  readonly onDocument?: (document: CollectedDocument, table: SignTable) => void;
  /** Hears how many the first Nodes are. */
  readonly onNodesSeen?: (nodes: number) => void;
  /** Hears what is known once the first Nodes are, and the time of the look. */
  readonly onFirstNodes?: ((observations: Observations, nowMs: number) => void) | undefined;
}

export interface LiveEvidence {
  readonly observations: Observations;
  readonly document: DiagnosisDocument;
  readonly nowMs: number;
  readonly cluster: string | null;
  /** How far the clock here is ahead of the API server's, ms; null when no answer told its Date. */
  readonly skewMs: number | null;
}

/** Everything that is collected goes to the readers at once, as if it were a file. */
interface Intake extends CollectedEvidence {
  /** Of the Nodes so far. */
  readonly providerIds: readonly string[];
  finish(cluster: string | null): Observations;
}

function createIntake(options: LiveOptions, clients: LookClients, nowMs: number): Intake {
  const refusals: Refusal[] = [...clients.refusals];
  const shortened = new Map<string, number>();
  const reading = createReading(SIGN_TABLE);
  const providerIds: string[] = [];
  let isNodeSeen = false;
  const add = (document: CollectedDocument): void => {
    options.onDocument?.(document, SIGN_TABLE);
    const nodes = nodesIn(document).length;
    const isFirst = !isNodeSeen && nodes > 0;
    providerIds.push(...providerIdsIn(document));
    reading.take(document.locator, document.content);
    if (!isFirst) return;
    isNodeSeen = true;
    options.onNodesSeen?.(nodes);
    options.onFirstNodes?.(alignClocks(reading.finish()), nowMs);
  };
  return {
    providerIds,
    add,
    shorten: (what, count) => shortened.set(what, (shortened.get(what) ?? 0) + count),
    refuse: (refusal) => {
      if (!refusals.some(({ call }) => call === refusal.call)) refusals.push(refusal);
    },
    finish(cluster) {
      const at = isoTime({ ms: nowMs, yearless: false, clock: 'utc' });
      // First, as it says how all ages are to be read.
      const told = [...skewOf(clients.kube?.skewMs() ?? null), ...refusals];
      const collection = { apiVersion: EVIDENCE_VERSION, kind: 'Collection', at, cluster };
      add({
        name: 'collection.json',
        locator: 'rollcall',
        content: {
          ...collection,
          asked: options.asked,
          refusals: told.map((refusal) => ({ ...refusal })),
          shortened: [...shortened].map(([what, count]) => ({ what, count })),
        },
      });
      const all = alignClocks(reading.finish());
      const { sinceMs = null } = options;
      return sinceMs === null ? all : linesSince(all, nowMs - sinceMs);
    },
  };
}

/** What was last seen before a moment is left out; states have no stamp and stay. */
function linesSince(observations: Observations, fromMs: number): Observations {
  const hits = observations.hits.filter(({ last }) => {
    const when = last.moment.when;
    return when === null || when.yearless || when.clock !== 'utc' || when.ms >= fromMs;
  });
  return { ...observations, hits };
}

function nodesIn({ content }: CollectedDocument): readonly Json[] {
  if (typeof content === 'string' || textAt(content, 'kind') !== 'NodeList') return [];
  return listAt(content, 'items');
}

/** What the providerIDs of Nodes on EC2 say: `aws:///us-west-2a/i-…`. */
function providerIdsIn(document: CollectedDocument): readonly string[] {
  const ids = nodesIn(document).map((node) => textAt(node, 'spec.providerID') ?? '');
  return ids.filter((id) => id.startsWith('aws:'));
}

/** Regions by the zones of the Nodes; a Local Zone's name begins with its region too. */
function regionsOf(providerIds: readonly string[]): readonly string[] {
  const zones = providerIds.map((id) => id.split('/')[3] ?? '');
  const regions = zones.flatMap((zone) => /^[a-z]{2,4}(?:-[a-z]+)+-\d+/.exec(zone)?.[0] ?? []);
  return [...new Set(regions)].slice(0, REGIONS_SHOWN);
}

/** Collects everything once, looks, asks the machines that are not well one by one, and looks again. */
export async function observe(clients: LookClients, options: LiveOptions): Promise<LiveEvidence> {
  const nowMs = clients.clock.nowMs();
  const intake = createIntake(options, clients, nowMs);
  const time = startTimeLimit(clients.clock, options.timeoutMs, options.limit);
  try {
    return await lookTwice(clients, options, { intake, time, nowMs });
  } finally {
    time.clear();
  }
}

interface Looking {
  readonly intake: Intake;
  readonly time: TimeLimit;
  readonly nowMs: number;
}

/** What is known after a look, and what follows from it. */
type Known = Pick<LiveEvidence, 'observations' | 'document'>;

async function lookTwice(
  clients: LookClients,
  options: LiveOptions,
  looking: Looking,
): Promise<LiveEvidence> {
  const { intake, time, nowMs } = looking;
  const cluster = await collectAll(clients, options, intake, time);
  const know = async (): Promise<Known> => {
    const observations = intake.finish(cluster);
    const document = await diagnoseObservations(observations, isAsked(options.asked));
    return { observations, document };
  };
  const rough = await know();
  options.progress('looking at what was found');
  const closer = (await askOneByOne(clients, options, looking, rough)) ? await know() : rough;
  const isMore = await askMachines(clients, options, looking, closer);
  const skewMs = clients.kube?.skewMs() ?? null;
  return { ...(isMore ? await know() : closer), nowMs, cluster, skewMs };
}

/** Asks those that stand for the others; false where there is nothing to ask. */
async function askOneByOne(
  clients: LookClients,
  { isDeep, progress }: LiveOptions,
  { intake, time }: Looking,
  { document, observations }: Known,
): Promise<boolean> {
  const target = representatives(document, observations, isDeep);
  if (target.instanceIds.length + target.logs.length === 0) return false;
  const machines = counted(target.instanceIds.length, 'machine');
  progress(`asking ${machines} and ${counted(target.logs.length, 'log')}`);
  await collectDetails(clients, target, intake, time.details);
  return true;
}

/** Asks machines for their own files, where that was requested and no cause is named yet. */
async function askMachines(
  { kube, aws, clock }: LookClients,
  { onRequest = NOTHING, asked, progress }: LiveOptions,
  { intake, time }: Looking,
  { document, observations }: Known,
): Promise<boolean> {
  if (onRequest.size === 0) return false;
  const open = leftOpen(document, observations, asked.length > 0);
  if (open.length === 0) return false;
  progress(`reading logs of ${counted(open.length, 'machine')}`);
  const throughKubelets = kube !== null && onRequest.has('node-logs');
  const throughSsm = aws !== null && onRequest.has('ssm');
  const [cluster = null] = factValues(observations, 'aws/cluster').map(({ name }) => name ?? null);
  const ofControlPlane = aws !== null && onRequest.has('control-plane-logs') && cluster !== null;
  await Promise.all([
    throughKubelets ? collectNodeLogs(kube, open, intake, time.details) : null,
    throughSsm ? collectSsmLogs({ aws, clock }, open, intake, time.details) : null,
    ofControlPlane ? collectControlPlaneLogs({ aws, clock }, cluster, intake, time.details) : null,
  ]);
  return true;
}

async function collectAll(
  { kube, aws, described, clock }: LookClients,
  options: LiveOptions,
  intake: Intake,
  time: TimeLimit,
): Promise<string | null> {
  const named = options.cluster ?? described?.clusterName ?? null;
  options.progress('asking Kubernetes and AWS');
  const lists = kube === null ? null : collectKubernetes({ kube, clock }, intake, time.listing);
  const [cluster] = await Promise.all([
    aws === null ? named : askAws(aws, lists, { named, options, intake, time, clock }),
    lists?.all,
  ]);
  return cluster;
}

interface AwsQuestion {
  readonly named: string | null;
  readonly options: LiveOptions;
  readonly intake: Intake;
  readonly time: TimeLimit;
  readonly clock: Clock;
}

/** Where nothing names the cluster, the instances behind its Nodes do: those are waited for. */
async function askAws(
  aws: AwsApi,
  lists: KubeLists | null,
  { named, options, intake, time, clock }: AwsQuestion,
): Promise<string | null> {
  const ofNodes = async (): Promise<readonly string[]> => {
    await nodesListed(lists, time, clock);
    tellOtherRegion(aws, intake);
    return [...new Set(intake.providerIds.flatMap((id) => instanceIdIn(id) ?? []))];
  };
  const asked = options.asked.flatMap((name) => instanceIdIn(name) ?? []);
  const names = options.asked.filter((name) => instanceIdIn(name) === null);
  const nodes = named === null ? await ofNodes() : [];
  const target = {
    cluster: named,
    instanceIds: [...asked, ...nodes],
    names,
    ofNodes,
    nowMs: clock.nowMs(),
  };
  return (await collectAws({ aws, clock }, target, intake, time.listing)).cluster;
}

async function nodesListed(lists: KubeLists | null, time: TimeLimit, clock: Clock): Promise<void> {
  await inTime(lists?.nodes ?? Promise.resolve(), time.waiting, clock).catch((error: unknown) => {
    if (error !== time.waiting.reason) throw error;
  });
}

/** EC2 of one region knows nothing of another's instances, and says so by an empty list. */
function tellOtherRegion({ region }: AwsApi, intake: Intake): void {
  const regions = regionsOf(intake.providerIds);
  if (region === null || regions.length === 0 || regions.includes(region)) return;
  intake.refuse({
    call: 'aws',
    failure: 'not-configured',
    message: `The Nodes are in ${regions.join(', ')}, but AWS was asked in ${region}; use --region ${regions[0]}`,
    permission: null,
  });
}
