/** The right column of the lab is what a user's own `rollcall` says at the same moment. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openDoors } from '../../../src/apps/lab/doors.ts';
import { createPace } from '../../../src/apps/lab/drive.ts';
import { loadScenario, shippedStories } from '../../../src/apps/lab/load.ts';
import { openPlay, type Play } from '../../../src/apps/lab/play.ts';
import type { DiagnosisDocument } from '../../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../../src/diagnosis/roll-call/document.ts';
import { shareOf, tellShare } from '../../share.ts';
import { documentOf, rollcall, type Surroundings } from '../../live/rollcall.ts';
import { environmentIn } from './environment.ts';
import { sleepingClock, surroundingsOf } from './played.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'rollcall-column-'));
after(() => rmSync(FOLDER, { recursive: true }));

/** Servers answer in no certain order, and each has its own address. */
function sorted(parts: readonly unknown[]): readonly string[] {
  const texts = parts.map((part) =>
    JSON.stringify(part).replaceAll(/https:\/\/[\w.:]+/g, 'https://lab'),
  );
  return texts.toSorted();
}

/** What a document says: all of it but the quotes and their order. */
function wordsOf({ headline, subjects, losses }: DiagnosisDocument): readonly string[] {
  const words = subjects.map(({ ladder, findings, notObservable, timeline, ...rest }) => ({
    ...rest,
    ladder: ladder.map(({ stage, state, since }) => [stage, state, since]),
    findings: sorted(findings.map((finding) => ({ ...finding, evidence: [] }))),
    notObservable: sorted(notObservable),
    timeline: sorted(timeline.map(({ what }) => what)),
  }));
  return sorted([headline, ...words, ...losses]);
}

interface Moment {
  readonly play: Play;
  readonly environment: Surroundings;
  readonly heard: DiagnosisDocument;
  readonly name: string;
}

function surroundings({ play, environment, name }: Moment): Surroundings {
  return surroundingsOf(play, environment, FOLDER, `home-${name}`);
}

async function compareDiagnosis(moment: Moment): Promise<void> {
  const { kernel, setting } = moment.play.simulated;
  const run = await rollcall(['diagnose', '-o', 'json'], surroundings(moment));
  const when = `after ${(kernel.nowMs() - setting.startMs) / 1000} s`;
  assert.deepEqual(wordsOf(documentOf(run)), wordsOf(moment.heard), when);
}

/** Each row of the roll call has the verdict and the stage that its machine has in the column. */
async function compareRollCall(moment: Moment): Promise<void> {
  const run = await rollcall(['status', '-o', 'json'], surroundings(moment));
  const { rows } = JSON.parse(run.stdout) as RollCallDocument;
  assert.ok(rows.length > 0, run.stderr);
  const { subjects } = moment.heard;
  for (const { name, instanceId, node, verdict, stage } of rows) {
    const ofRow = subjects.find((one) =>
      instanceId === null ? one.node === node : one.instanceId === instanceId,
    );
    assert.deepEqual([verdict, stage], [ofRow?.verdict, ofRow?.stage], name);
  }
}

/** Plays a story; runs the commands at its first look, when its headline changes, and at its end. */
async function playAndLook(name: string): Promise<number> {
  const scenario = loadScenario(name);
  const { seed } = scenario;
  const play = openPlay({ scenario, seed, nodes: null, onLine: () => undefined });
  const { simulated, story } = play;
  const compared: (string | null)[] = [];
  const look = async (heard: DiagnosisDocument, isLast: boolean): Promise<void> => {
    const cause = heard.headline?.cause ?? null;
    if (!isLast && compared.length > 0 && compared.at(-1) === cause) return;
    compared.push(cause);
    const moment = { play, environment, heard, name };
    await compareDiagnosis(moment);
    if (isLast) await compareRollCall(moment);
  };
  const follower = {
    async rest(): Promise<void> {
      const before = story.heard();
      await story.rest();
      const heard = story.heard();
      const isLast = simulated.kernel.nowMs() + scenario.lookEveryMs > story.endMs;
      if (heard !== null && heard !== before) await look(heard, isLast);
    },
  };
  const pace = createPace({
    kernel: simulated.kernel,
    speed: 1000,
    clock: sleepingClock(),
    follower,
  });
  const folder = join(FOLDER, name);
  mkdirSync(folder);
  const doors = await openDoors({
    simulated,
    pace,
    asked: { folder, port: 0, awsPort: 0 },
    signersNowMs: () => Date.now(),
  });
  const environment = environmentIn(doors.folder.environment);
  try {
    await pace.run(story.endMs, new AbortController().signal);
  } finally {
    await doors.close();
  }
  return compared.length;
}

const STORIES_OF = 10;

describe('the right column is what rollcall says against that lab', () => {
  const stories = shippedStories();
  const played = shareOf(stories, STORIES_OF);
  tellShare('stories beside the column of the lab', played.length, stories.length);
  for (const { name } of played)
    test(name, { timeout: 600_000 }, async () => {
      assert.ok((await playAndLook(name)) >= 2, 'a story has a first and a last look');
    });
});
