import { openAwsDoor } from '../../doors/aws/door.ts';
import { openKubernetesDoor } from '../../doors/kubernetes/door.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Scenario } from '../../sim/stories/scenario.ts';
import type { StoryLine } from '../../sim/stories/story.ts';
import { ADMIN, type Town } from '../../sim/town/town.ts';
import { gitVersionOf } from '../../sim/town/options.ts';
import { type CliContext, SourceError } from '../cli/context.ts';
import { EXIT } from '../cli/exit-code.ts';
import type { LabArguments } from './arguments.ts';
import { twoColumns } from './columns.ts';
import { createPace, type Pace } from './drive.ts';
import { asOf } from './as-of.ts';
import { endOfStory, lined } from './fast.ts';
import { dropFolder, type LabDoors, type LabFolder, makeFolder, writeFolder } from './folder.ts';
import { openPlay } from './play.ts';

interface Doors {
  readonly folder: LabFolder;
  close(): Promise<void>;
}

/** A token that nobody else on this machine can know; chance of the real world, not of the town's. */
function newToken(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return Buffer.from(bytes).toString('base64url');
}

function listening(error: unknown, port: number, flag: string): SourceError {
  const why = error instanceof Error ? error.message : String(error);
  return new SourceError(
    `Port ${port} cannot be listened on (${why}); choose another: --${flag} PORT`,
  );
}

/** Opens the front doors of a town and writes down how to come in. */
async function openDoors(town: Town, pace: Pace, asked: LabArguments): Promise<Doors> {
  const path = makeFolder(asked.folder);
  const token = newToken();
  const enter = <T>(task: () => T): T => pace.enter(task);
  const nowMs = (): number => town.kernel.nowMs();
  const version = gitVersionOf(town.setting.cluster);
  const tokens = new Map([[token, ADMIN]]);
  const kubernetes = await openKubernetesDoor({
    enter,
    nowMs,
    api: town.api,
    port: asked.port,
    tokens,
    version,
  }).catch((error: unknown) => {
    throw listening(error, asked.port, 'port');
  });
  // Signatures carry the time of whoever signs, which is that of this machine.
  const signed = { enter, nowMs: () => systemClock.nowMs() };
  const aws = await openAwsDoor({ ...signed, cloud: town.cloud, port: asked.awsPort }).catch(
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
    const folder = writeFolder(path, doorsOf(town, { kubernetes, aws, token }));
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

function doorsOf({ admin, cloud, setting }: Town, { kubernetes, aws, token }: Opened): LabDoors {
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
  { kind, name }: Town['setting']['cluster'],
  { region, accountId }: Town['cloud'],
): string {
  return kind === 'eks' ? `arn:aws:eks:${region}:${accountId}:cluster/${name}` : name;
}

function whatToTry({ environment }: LabFolder): readonly string[] {
  return [
    'In another terminal:',
    `  source ${environment}`,
    '  kubectl get nodes -w',
    '  aws ec2 describe-instances',
    '  rollcall',
    '  rollcall diagnose',
    '',
    'Ctrl-C ends it.',
    '',
  ];
}

function hearInterrupt(): AbortController {
  const ending = new AbortController();
  process.once('SIGINT', () => ending.abort());
  process.once('SIGTERM', () => ending.abort());
  return ending;
}

/** Plays a story beside real time, with servers that kubectl, aws and rollcall work against, until it is interrupted. */
export async function openLab(
  scenario: Scenario,
  asked: LabArguments,
  context: CliContext,
): Promise<number> {
  const ending = hearInterrupt();
  const columns = twoColumns(context.columns);
  const onLine = (line: StoryLine): void => context.out(lined(columns.line(line)));
  const seed = asked.seed ?? scenario.seed;
  const { town, story } = openPlay({
    scenario: asOf(scenario, systemClock.nowMs(), asked.speed),
    seed,
    nodes: asked.nodes,
    onLine,
  });
  const { kernel } = town;
  const { speed } = asked;
  const pace = createPace({ kernel, speed, clock: systemClock, follower: story });
  const doors = await openDoors(town, pace, asked);
  try {
    const title = `${scenario.title}   (seed ${seed}, ${speed} x real time)`;
    context.out(lined([title, '', ...whatToTry(doors.folder), ...columns.head()]));
    await pace.run(story.endMs, ending.signal);
    if (!ending.signal.aborted) {
      const end = endOfStory(scenario, story.unmet(), town.yard.identities());
      context.out(lined([...end, '', 'The town lives on, in real time; Ctrl-C ends it.']));
      pace.setSpeed(1);
      await pace.run(Number.POSITIVE_INFINITY, ending.signal);
    }
    return EXIT.usable;
  } finally {
    await doors.close();
  }
}
