/**
 * `npm run dialogue -- [--from SEED] [--seeds N] [--hours H] [--record]`: breaks simulated machines
 * and lets an operator, who begins with one ordinary look, run what Rollcall prints. Prints what was
 * decided after how many rounds; with `--record` writes docs/dialogue.md. It needs kubectl and aws.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { settle } from '../src/adapters/system/settle.ts';
import { openDoors } from '../src/apps/lab/doors.ts';
import { FAULT_IDS, FAULTS } from '../src/sim/faults/faults.ts';
import { type LookRequest, run, type Said } from '../src/sim/run/run.ts';
import { planInjections } from '../src/sim/swarm/plan.ts';
import { drawSwarm, type Wishes } from '../src/sim/swarm/swarm.ts';
import { type Dialogue, holdDialogue, OPENINGS } from './dialogue/dialogue.ts';
import { environmentIn } from './dialogue/operator.ts';
import { dialoguePage, type Told, toldLine } from './dialogue/page.ts';

const PAGE = join(import.meta.dirname, '../docs/dialogue.md');

/** Opens the servers of the world as it stands, and talks about one of its broken machines. */
async function talkAbout(
  { simulated }: LookRequest['stage'],
  instanceId: string,
  opening: string,
): Promise<Dialogue | null> {
  const machine = simulated.hypervisor.machine(instanceId);
  if (machine === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-dialogue-'));
  const doors = await openDoors({
    simulated,
    pace: {
      enter: (task) => task(),
      fail(error) {
        throw error;
      },
    },
    asked: { folder, port: 0, awsPort: 0 },
    signersNowMs: () => Date.now(),
  });
  try {
    const environment = environmentIn(doors.folder.environment);
    return await holdDialogue(opening, { environment, machine });
  } finally {
    await doors.close();
    rmSync(folder, { recursive: true });
  }
}

function saidIn({ document, observations }: Dialogue): Said {
  return { way: 'pile', observations, document, printed: [], refused: [], left: [] };
}

/** The talk of one seed, and what the oracle says of it. */
interface Talk {
  dialogue: Dialogue | null;
  instanceId: string;
  told: Told | null;
}

/** The first look of a seed at a broken machine; null for a seed in which nothing is broken. */
async function tellSeed(seed: number, wishes: Wishes): Promise<Told | null> {
  const swarm = drawSwarm(seed, wishes, FAULT_IDS);
  const opening = OPENINGS[seed % OPENINGS.length] ?? OPENINGS[0];
  const talk: Talk = { dialogue: null, instanceId: '', told: null };
  await run({
    swarm,
    injections: planInjections(swarm, wishes, FAULTS),
    settle,
    async look(request) {
      const [instanceId] = request.broken;
      if (talk.dialogue !== null || instanceId === undefined) return [];
      talk.instanceId = instanceId;
      talk.dialogue = await talkAbout(request.stage, instanceId, opening);
      return talk.dialogue === null ? [] : [saidIn(talk.dialogue)];
    },
    onJudged({ instanceId, judgement, named, truths, candidates }) {
      if (talk.dialogue === null || instanceId !== talk.instanceId) return;
      const causes = truths.flatMap((truth) => truth.causes);
      const { place } = candidates;
      talk.told = { seed, dialogue: talk.dialogue, judgement, named, causes, place };
    },
  });
  return talk.told ?? untold(seed, talk.dialogue);
}

/** A dialogue at whose end the broken machine is no subject. */
function untold(seed: number, dialogue: Dialogue | null): Told | null {
  if (dialogue === null) return null;
  const { headline } = dialogue.document;
  const named = headline === null ? [] : [headline.cause];
  return { seed, dialogue, judgement: 'open', named, causes: [], place: null };
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '20' },
    hours: { type: 'string', default: '0.5' },
    record: { type: 'boolean', default: false },
  },
});
const wishes: Wishes = { nodes: 2, hours: Number(values.hours), faults: 'all' };
const all: Told[] = [];
for (let seed = Number(values.from); seed < Number(values.from) + Number(values.seeds); seed++) {
  const told = await tellSeed(seed, wishes);
  if (told === null) continue;
  all.push(told);
  console.log(toldLine(told));
}
const page = dialoguePage(all, values);
console.log(`\n${page}`);
if (values.record) writeFileSync(PAGE, page);
