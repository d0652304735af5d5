import { openAwsDoor } from '../../doors/aws/door.ts';
import { openKubernetesDoor } from '../../doors/kubernetes/door.ts';
import { ADMIN, type SimulatedCluster } from '../../sim/cluster/simulated-cluster.ts';
import { gitVersionOf } from '../../sim/cluster/options.ts';
import { SourceError } from '../cli/context.ts';
import type { LabArguments } from './arguments.ts';
import type { Pace } from './drive.ts';
import { dropFolder, type LabDoors, type LabFolder, makeFolder, writeFolder } from './folder.ts';

export interface Doors {
  readonly folder: LabFolder;
  close(): Promise<void>;
}

/** A token that nobody else on this machine can know; chance of the real world, not of the simulated cluster's. */
function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Buffer.from(bytes).toString('base64url');
}

function listening(error: unknown, port: number, flag: string): SourceError {
  const why = error instanceof Error ? error.message : String(error);
  return new SourceError(`Port ${port} is not available (${why}); choose another: --${flag} PORT`);
}

export interface DoorsOptions {
  readonly simulated: SimulatedCluster;
  readonly pace: Pick<Pace, 'enter' | 'fail'>;
  readonly asked: Pick<LabArguments, 'folder' | 'port' | 'awsPort'>;
  /** Signatures carry the time of whoever signs: that of this machine, not the simulated cluster's. */
  readonly signersNowMs: () => number;
}

/** Opens the front doors of a simulated cluster and writes down how to come in. */
export async function openDoors({
  simulated,
  pace,
  asked,
  signersNowMs,
}: DoorsOptions): Promise<Doors> {
  const path = makeFolder(asked.folder);
  const token = newToken();
  const enter = <T>(task: () => T): T => pace.enter(task);
  const nowMs = (): number => simulated.kernel.nowMs();
  const version = gitVersionOf(simulated.setting.cluster);
  const tokens = new Map([[token, ADMIN]]);
  const onBug = (bug: unknown): void => pace.fail(bug);
  const kubernetes = await openKubernetesDoor({
    enter,
    nowMs,
    onBug,
    api: simulated.api,
    port: asked.port,
    tokens,
    version,
  }).catch((error: unknown) => {
    throw listening(error, asked.port, 'port');
  });
  const signed = { enter, onBug, nowMs: signersNowMs };
  const aws = await openAwsDoor({ ...signed, cloud: simulated.cloud, port: asked.awsPort }).catch(
    async (error: unknown) => {
      await kubernetes.close();
      throw listening(error, asked.awsPort, 'aws-port');
    },
  );
  const close = async (): Promise<void> => {
    await Promise.all([kubernetes.close(), aws.close()]);
    if (asked.folder === null) dropFolder(path);
  };
  try {
    const folder = writeFolder(path, doorsOf(simulated, { kubernetes, aws, token }));
    return { folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opened {
  readonly kubernetes: { readonly url: string; readonly caPem: string };
  readonly aws: { readonly url: string };
  readonly token: string;
}

function doorsOf(
  { admin, cloud, setting }: SimulatedCluster,
  { kubernetes, aws, token }: Opened,
): LabDoors {
  const { accessKeyId } = admin.identity;
  return {
    kubernetesUrl: kubernetes.url,
    caPem: kubernetes.caPem,
    token,
    awsUrl: aws.url,
    region: cloud.region,
    accessKeyId,
    secretAccessKey: cloud.secretOf(accessKeyId) ?? '',
    context: contextOf(setting.cluster, cloud),
  };
}

function contextOf(
  { kind, name }: SimulatedCluster['setting']['cluster'],
  { region, accountId }: SimulatedCluster['cloud'],
): string {
  return kind === 'eks' ? `arn:aws:eks:${region}:${accountId}:cluster/${name}` : name;
}
