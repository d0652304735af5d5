/** A mutation run: every mutant of some files against the tests that reach it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acceptedIn } from './accepted.ts';
import { choose, type Chosen, type Kills, reachingFile } from './choose.ts';
import { Crewman } from './crew.ts';
import { instrument, type Instrumented, type Mutant } from './instrument.ts';
import type { Reach } from './messages.ts';
import type { Fate, Judged } from './report.ts';
import type { RoomFiles } from './rooms.ts';

/** A loop that goes on this much longer than without the mutant goes on for ever. */
const HITS_FACTOR = 100;
const HITS_MIN = 10_000;

/** Processor time beyond what the tests need without the mutant. */
const PATIENCE_MS = 1000;
const SLOWDOWN_MAX = 5;

export interface Result {
  readonly judged: readonly Judged[];
  readonly wordings: number;
}

export interface Run {
  readonly root: string;
  readonly files: RoomFiles;
  /** Each how manieth mutant is tried. */
  readonly every: number;
  readonly workers: number;
  /** Takes lines about how far it is. */
  readonly say: (text: string) => void;
}

export async function mutate(run: Run): Promise<Result> {
  const { root, files, workers } = run;
  const instrumented = await instrument(root, files.sources);
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-mutate-'));
  const crew: Crewman[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    const sourcesFile = join(folder, 'sources.json');
    writeFileSync(sourcesFile, JSON.stringify(instrumented.sources));
    const start = { root, sourcesFile, testFiles: files.tests };
    for (let count = 0; count < workers; count += 1) crew.push(new Crewman(start));
    return { judged: await judge(run, instrumented, crew), wordings: instrumented.wordings };
  } finally {
    for (const man of crew) man.stop();
    rmSync(folder, { recursive: true });
  }
}

async function judge(
  { root, every, say }: Run,
  { mutants }: Instrumented,
  crew: readonly Crewman[],
): Promise<readonly Judged[]> {
  const [first] = crew;
  if (first === undefined) throw new Error('a run needs a worker');
  const reach = await first.reach();
  for (const man of crew) await man.know(reach.importers);
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  const isAccepted = acceptedIn(root);
  const judged: Judged[] = [];
  const kills = new Map<string, number>();
  const tried = mutants.filter((_, index) => index % every === 0);
  say(`${tried.length} mutants, ${reach.tests.length} tests`);
  const waiting = tried.values();
  const work = async (man: Crewman): Promise<void> => {
    for (const mutant of waiting) {
      const chosen = testsFor({ mutant, reach, ofFile: byFile.get(mutant.file) ?? [], kills });
      const { outcome: fate, by } = await fateOf(man, mutant, reach, chosen);
      if (by !== null) kills.set(by, (kills.get(by) ?? 0) + 1);
      const lives = fate === 'survived' || fate === 'no coverage';
      judged.push({ mutant, fate: lives && isAccepted(mutant) ? 'accepted' : fate });
      if (judged.length % 250 === 0) say(`${judged.length} of ${tried.length}`);
    }
  };
  await Promise.all(crew.map(work));
  return judged.toSorted((one, other) => Number(one.mutant.id) - Number(other.mutant.id));
}

async function fateOf(
  man: Crewman,
  mutant: Mutant,
  reach: Reach,
  { tests, ms }: Chosen,
): Promise<{ readonly outcome: Fate; readonly by: string | null }> {
  if (tests.length === 0) return { outcome: 'no coverage', by: null };
  const again = reach.loading.has(mutant.id);
  const hitsMax = HITS_MIN + HITS_FACTOR * (reach.hitsByMutant.get(mutant.id) ?? 0);
  const cpuMsMax = PATIENCE_MS + SLOWDOWN_MAX * ms;
  return man.try({ mutant: mutant.id, file: mutant.file, tests, hitsMax, cpuMsMax, again });
}

interface Candidate {
  readonly mutant: Mutant;
  readonly reach: Reach;
  /** The mutants of its file. */
  readonly ofFile: readonly Mutant[];
  readonly kills: Kills;
}

function testsFor({ mutant, reach, ofFile, kills }: Candidate): Chosen {
  if (!reach.loading.has(mutant.id))
    return choose(reach, mutant, reach.testsByMutant.get(mutant.id) ?? [], kills);
  const reaching = new Set([...reachingFile(reach, ofFile), ...importing(reach, mutant.file)]);
  return choose(reach, mutant, [...reaching], kills);
}

/** A table runs nothing: whoever imports it may notice, besides those that call its module. */
function importing(reach: Reach, file: string): readonly number[] {
  const found = new Set([file]);
  for (const one of found) reach.importers.get(one)?.forEach((importer) => found.add(importer));
  return reach.tests.flatMap((test, number) => (found.has(test.file) ? number : []));
}
