import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAULTS } from '../../src/sim/faults/faults.ts';
import { FAULT_CLASSES, FAULT_KINDS, type FaultClass } from '../../src/sim/faults/list.ts';
import { type Part, PARTS } from '../../src/sim/faults/parts.ts';
import { CHECKED_RULES } from '../../src/sim/invariants/invariants.ts';
import { LIVENESS, type Rule, SAFETY } from '../../src/sim/invariants/list.ts';
import { MARKS } from '../../src/sim/marks/marks.ts';
import { PLANTED_BUGS } from '../../src/sim/planted/bugs.ts';
import { PLANTED_KINDS, type PlantedKind } from '../../src/sim/planted/list.ts';
import type { GeneratedFile } from './cause-pages.ts';

const SOURCES = join(import.meta.dirname, '../../src/sim');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function later(parts: readonly Part[]): string {
  return `with the ${parts.map((part) => PARTS[part]).join(', ')}`;
}

/** What this world lacks, where it is not only a part of Rollcall that would face it. */
const LACKING: Readonly<Record<string, string>> = {
  F08: 'a world with webhooks of admission',
  F70: 'a world with policies of admission',
};

function faultRow({ id, kind, title, faces }: FaultClass): readonly string[] {
  const fault = FAULTS.find((one) => one.id === id);
  const comes = faces.filter((part) => part !== 'diagnosis');
  const lacking = LACKING[id] === undefined ? '' : `${LACKING[id]}; `;
  const state =
    fault === undefined ? `${lacking}${later(comes.length === 0 ? faces : comes)}` : 'here';
  return [id, FAULT_KINDS[kind], title, state, fault === undefined ? '' : String(fault.perHour)];
}

function ruleRow({ id, title, of }: Rule): readonly string[] {
  return [id, title, CHECKED_RULES.includes(id) ? 'here' : later([of])];
}

function plantedRow({ id, title, of }: PlantedKind): readonly string[] {
  const bug = PLANTED_BUGS.find((one) => one.id === id);
  const state = bug === undefined ? later([of]) : `here, caught by ${bug.caughtBy.join(', ')}`;
  return [id, title, state];
}

/** The declaration of a name in a source file, up to the line that ends it. */
function declaration(path: string, start: string): string {
  const lines = readFileSync(join(SOURCES, path), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(start));
  const last = lines.findIndex((line, index) => index > first && /^[}\])]/.test(line));
  if (first < 0 || last < 0) throw new RangeError(`${path} declares no ${start}`);
  return `\`\`\`ts\n${lines.slice(first, last + 1).join('\n')}\n\`\`\``;
}

const HOW = `# The simulation

\`rollcall sim\` builds a world from a seed (a cluster on AWS with its machines and controllers, see
\`rollcall lab\`), lets it run in virtual time, puts faults into it, and looks at it as a user would:
over the APIs as \`rollcall diagnose\` does, and through a pile of dumps, journals and answers of which
a share is left out. The world knows which fault it had, so each answer is compared with the truth.

\`\`\`
rollcall sim --seed 7 --hours 2                 one seed
rollcall sim --count 1000                       seeds 1 to 1000
rollcall sim --until-failure --save found.tar.gz   seeds until one fails; its evidence in a file
rollcall sim --seed 7 --faults F51,F62.2        a class of faults, and the second one of another
rollcall sim --seed 7 --twin                    once more without its faults, and the ends compared
rollcall sim --seed 7 --planted P40             with a mistake put into Rollcall
\`\`\`

The seed draws the topology (1 to 60 machines, 1 to 3 zones), the releases, the pod network and the
identity of pods, the workload, how late AWS shows what it has, the share of evidence that is left
out, and for each class of faults a weight, of which half are zero. \`--nodes\`, \`--hours\` and
\`--faults\` change one of these and nothing else: every draw has its own stream of chance.

A workload with a role gets it as its cluster gives roles. With IRSA and EKS Pod Identity a webhook
puts the way to it into each pod as it is created, where it knows of the account by then, and the
program asks STS or the agent of its node, each of which answers as AWS would. A pod that the webhook
has missed acts with the role of its node.

A run has two parts. In the CHAOS faults come and go. In the CALM all faults have ended, and liveness
is looked at. The same seed gives the same events and the same words: the SHA-256 of all of them is
part of the output.

Between looks the watchers of Rollcall run in the world, over watches that die, lie and break off.
What an event can change is looked at in that event: the addresses that a plan promises (I-25), and
what the watchers keep in memory, how often they ask and how far behind they are (I-24, I-32, I-33,
L-08). An answer about a machine exists only when it is given, so the rules about its evidence and its
words (I-28 to I-31, L-02, L-04) are looked at in each look, by all that was given, said and printed.

Everything that Rollcall is given holds secrets of 26 kinds: variables, arguments and commands of
containers, ConfigMaps, Secrets, annotations, conditions, events, logs of containers, kubelets and
machines, consoles, user data, launch templates, tags, descriptions, and answers of STS and IAM. I-28
looks for each of them in all that is printed and saved: as it is, in base64 at each of its three
offsets, in hexadecimal, and escaped for JSON and URLs.

With \`--twin\` each seed happens once more without its faults. After the calm a machine that is as well
as in the twin must be called what it is called there, unless a cause is named or something is reported as
missing; and the watchers must not have asked for much more than there. Runs cost twice the time.

Each moment is looked at over the APIs (\`live\`), by what that look would have saved with the files of
machines that do not work beside it (\`files\`), and through the pile (\`pile\`).

Answers are judged by what was done. Every fault has the one cause of what it does to a machine,
two where both say what was done, and the effects by which that shows; so has what is wrong with a
world as it was set up. A cause is true of a machine while its fault lasts, and afterwards as long as
the machine shows what the fault did and has not been well since. What was done to all machines is
true of those on which it shows, from then on. A consequence must follow from a true cause, or show
by itself. What only shows is not accepted as a cause: a kubelet that is silent because its clock is
wrong has a wrong clock. Where no cause is named, the place of the true one among the questions
counts.

A failure is no reason to accept more: what the oracle calls wrong stays in the list of wrong answers
until the diagnosis is right. How hard the oracle is to please is part of its results: the number of
causes that it accepts, and how often it accepts one constant answer, and answers of other seeds.

What throws in a world, a fault or an invariant is a failure too (\`thrown\`), and says where.

A failure is made small before it is shown: fewer faults, fewer machines, less time, as long as it
fails in the same way. What is printed is what happened, what does not hold, one line that repeats
it, and with \`--save\` a file that \`rollcall diagnose\` reads.`;

const ADDING = `## How a controller brings its own

Each of these is one declaration, found by its number in the lists above.

A **fault** is done to the stage (world, cloud, machines, people) and says which causes would then be
right and how it is taken back:

${declaration('faults/people.ts', 'const cordoned')}

An **invariant** watches events, or is asked about each look; it sees the true state:

${declaration('invariants/time-line.ts', 'export const timeLine')}

A **planted bug** changes one place of Rollcall and names the invariants that must notice:

${declaration('planted/bugs.ts', 'export const PLANTED_BUGS')}

A **reachability mark** is reached where an observer sees that a rare state came about; a run of many
seeds says which were never reached:

${declaration('invariants/gaps.ts', 'export const gaps')}`;

const PLANTED_STORY = `## A planted bug, caught, shrunk and replayed

P24 lets an error in a listener end the watch: what the watcher keeps grows old in silence.
\`rollcall sim --planted P24 --nodes 4 --hours 0.7 --until-failure\` runs until L-08 does not hold: two
minutes after a change it is not in memory. The run is shrunk from several faults on four machines to
one fault on one machine, its line printed, and that line fails in the same way again; without the bug
it holds. \`test/sim/planted.test.ts\` does this for every bug that can be planted, each in a cheap seed
(\`src/sim/planted/seeds.ts\`), and the results below list what caught them.`;

/** What the simulation tests, and what comes with which part. */
export function simulationPage(): GeneratedFile {
  const sections = [
    HOW,
    '## Faults',
    table(['', 'of', 'what happens', 'state', 'an hour at most'], FAULT_CLASSES.map(faultRow)),
    '## Safety: true at every moment',
    table(['', 'rule', 'state'], SAFETY.map(ruleRow)),
    '## Liveness: true after the calm',
    table(['', 'rule', 'state'], LIVENESS.map(ruleRow)),
    '## Planted bugs',
    table(['', 'the mistake', 'state'], PLANTED_KINDS.map(plantedRow)),
    PLANTED_STORY,
    '## Reachability marks',
    table(['mark', 'reached when'], Object.entries(MARKS)),
    ADDING,
    'What the oracle counted over many seeds: [simulation-results.md](simulation-results.md).',
    'How the API server of the world is held against a real one: [differential.md](differential.md).',
  ];
  return { path: 'docs/simulation.md', text: `${sections.join('\n\n')}\n` };
}
