import { systemClock } from '../../adapters/system/clock.ts';
import type { Scenario } from '../../sim/stories/scenario.ts';
import type { StoryLine } from '../../sim/stories/story.ts';
import type { CliContext } from '../cli/context.ts';
import { EXIT } from '../cli/exit-code.ts';
import type { LabArguments } from './arguments.ts';
import { twoColumns } from './columns.ts';
import { createPace } from './drive.ts';
import { asOf } from './as-of.ts';
import { openDoors } from './doors.ts';
import { endOfStory, lined } from './fast.ts';
import type { LabFolder } from './folder.ts';
import { openPlay } from './play.ts';

function whatToTry({ environment }: LabFolder): readonly string[] {
  return [
    'In another terminal:',
    `  source ${environment}`,
    '  kubectl get nodes -w',
    '  aws ec2 describe-instances',
    '  rollcall',
    '  rollcall diagnose',
    '',
    'Press Ctrl-C to end it.',
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
  const { simulated, story } = openPlay({
    scenario: asOf(scenario, systemClock.nowMs(), asked.speed),
    seed,
    nodes: asked.nodes,
    onLine,
  });
  const { kernel } = simulated;
  const { speed } = asked;
  const pace = createPace({ kernel, speed, clock: systemClock, follower: story });
  const doors = await openDoors({
    simulated,
    pace,
    asked,
    signersNowMs: () => systemClock.nowMs(),
  });
  try {
    const title = `${scenario.title}   (seed ${seed}, ${speed} x real time)`;
    context.out(lined([title, '', ...whatToTry(doors.folder), ...columns.head()]));
    await pace.run(story.endMs, ending.signal);
    if (!ending.signal.aborted) {
      const end = endOfStory(scenario, story.unmet(), simulated.hypervisor.identities());
      context.out(
        lined([
          ...end,
          '',
          'The simulated cluster keeps running in real time. Press Ctrl-C to end it.',
        ]),
      );
      pace.setSpeed(1);
      await pace.run(Number.POSITIVE_INFINITY, ending.signal);
    }
    return EXIT.usable;
  } finally {
    await doors.close();
  }
}
