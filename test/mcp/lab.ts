/** A story of the lab that stands still at one moment, with its servers open. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDoors } from '../../src/apps/lab/doors.ts';
import { runFast } from '../../src/apps/lab/drive.ts';
import { loadScenario } from '../../src/apps/lab/load.ts';
import { openPlay } from '../../src/apps/lab/play.ts';
import { environmentIn, standingAt } from '../cli/lab/environment.ts';
import { emptyHome, type Surroundings } from '../live/rollcall.ts';

export interface StillStory {
  readonly env: Surroundings;
  readonly close: () => Promise<void>;
}

/** @param minutes how long the story has been going on */
export async function openStory(name: string, minutes: number, base: string): Promise<StillStory> {
  const scenario = loadScenario(name);
  const { seed } = scenario;
  const { simulated } = openPlay({ scenario, seed, nodes: null, onLine: () => undefined });
  const atMs = simulated.kernel.nowMs() + minutes * 60_000;
  await runFast(simulated.kernel, atMs, { rest: () => Promise.resolve() });
  const folder = join(base, name);
  mkdirSync(folder);
  const doors = await openDoors({
    simulated,
    pace: {
      enter: (task) => task(),
      fail: (bug) => {
        throw bug;
      },
    },
    asked: { folder, port: 0, awsPort: 0 },
    signersNowMs: () => Date.now(),
  });
  const env = {
    ...emptyHome(base, `home-${name}`),
    ...environmentIn(doors.folder.environment),
    ...standingAt(simulated.kernel.nowMs()),
  };
  return { env, close: async () => doors.close() };
}
