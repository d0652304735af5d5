import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTROLLER_FAULTS } from '../../src/apps/sim/controllers/faults.ts';
import { CONTROLLER_BUGS } from '../../src/apps/sim/controllers/planted.ts';
import { CONTROLLER_RULES } from '../../src/apps/sim/controllers/run.ts';
import { ADMISSION_FAULTS } from '../../src/sim/faults/admission.ts';
import { CONFIGURATION_FAULTS } from '../../src/sim/faults/configuration.ts';
import { FAULTS } from '../../src/sim/faults/faults.ts';
import { FAULT_CLASSES, FAULT_KINDS, type FaultClass } from '../../src/sim/faults/list.ts';
import { type Part, PARTS } from '../../src/sim/faults/parts.ts';
import { CHECKED_RULES } from '../../src/sim/invariants/invariants.ts';
import { LIVENESS, type Rule, SAFETY } from '../../src/sim/invariants/list.ts';
import { MARKS } from '../../src/sim/marks/marks.ts';
import { PLANTED_BUGS } from '../../src/sim/planted/bugs.ts';
import { PLANTED_KINDS, type PlantedKind } from '../../src/sim/planted/list.ts';
import { AGENT_BUGS } from '../../test/sim/agents/bugs.ts';
import { AGENT_RULES } from '../../test/sim/agents/world.ts';
import { AUTH_BUGS } from '../../test/sim/auth/bugs.ts';
import { AUTH_SIM_RULES } from '../../test/sim/auth/rules.ts';
import { GATE_BUGS } from '../../test/sim/gates/bugs.ts';
import { GATE_MISTAKES } from '../../test/sim/gates/mistakes.ts';
import { MISTAKES_UNDER_FAULTS } from '../../test/sim/gates/mistakes-under-faults.ts';
import { GATE_RULES } from '../../test/sim/gates/rules.ts';
import { JANITOR_BUGS } from '../../test/sim/janitor/bugs.ts';
import { JANITOR_FAULTS } from '../../test/sim/janitor/faults.ts';
import { JANITOR_RULES } from '../../test/sim/janitor/rules.ts';
import { JOIN_BUGS } from '../../test/sim/machines/join-bugs.ts';
import { SLIP_BUGS } from '../../test/sim/slip-ins/bugs.ts';
import type { GeneratedFile } from './cause-pages.ts';
import {
  AGENTS,
  AUTH,
  CONTROLLERS,
  GATES,
  HOW,
  JANITOR,
  JOINS,
  PLANTED_STORY,
  SLIP_INS,
} from './simulation-texts.ts';

const SOURCES = join(import.meta.dirname, '../../src/sim');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, head.map(() => '---'), ...rows];
  return all.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function later(parts: readonly Part[]): string {
  return `with the ${parts.map((part) => PARTS[part]).join(', ')}`;
}

/** Faults of single calls, which have no declaration of their own. */
const OF_LOST_CALLS: ReadonlySet<string> = new Set(['F01', 'F02', 'F03']);
const OF_CALLS: ReadonlySet<string> = new Set([...OF_LOST_CALLS, 'F10']);

function isOfControllers(id: string): boolean {
  return OF_CALLS.has(id) || CONTROLLER_FAULTS.some((one) => one.id === id);
}

interface Places {
  /** In whole clusters. */
  readonly isHere: boolean;
  readonly hasControllers: boolean;
  readonly hasJanitor: boolean;
  readonly hasAuth?: boolean;
  readonly hasGate?: boolean;
  readonly hasAgent?: boolean;
}

/** Where something is checked or done: in whole clusters, in runs of one program, or not yet. */
function stateOf(places: Places, otherwise: string): string {
  const { isHere, hasControllers, hasJanitor, hasAuth = false } = places;
  const { hasGate = false, hasAgent = false } = places;
  const runs = [
    hasControllers ? 'controllers' : '',
    hasJanitor ? 'the janitor' : '',
    hasAuth ? 'the keeper of aws-auth' : '',
    hasGate ? 'the gate' : '',
    hasAgent ? 'the agent' : '',
  ]
    .filter((one) => one !== '')
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' and ');
  if (runs === '') return isHere ? 'here' : otherwise;
  return isHere ? `here, and with ${runs}` : `with ${runs}`;
}

function isOfJanitorFaults(id: string): boolean {
  return OF_LOST_CALLS.has(id) || JANITOR_FAULTS.some((one) => one.id === id);
}

function faultRow({ id, kind, title, faces }: FaultClass): readonly string[] {
  const fault = FAULTS.find((one) => one.id === id);
  const comes = faces.filter((part) => part !== 'diagnosis');
  const otherwise = later(comes.length === 0 ? faces : comes);
  const places = {
    isHere: fault !== undefined,
    hasControllers: isOfControllers(id),
    hasJanitor: isOfJanitorFaults(id),
    hasGate: [...ADMISSION_FAULTS, ...CONFIGURATION_FAULTS].some((one) => one.id === id),
  };
  const state = stateOf(places, otherwise);
  return [id, FAULT_KINDS[kind], title, state, fault === undefined ? '' : String(fault.perHour)];
}

/** Of a gate among machines, and of one that leads and writes. */
const GATE_SIM_RULES: readonly string[] = [
  ...GATE_RULES,
  ...GATE_BUGS.flatMap(({ caughtBy }) => caughtBy),
];

/** Of the runs of joins, in which no look of a user is judged. */
const JOIN_RULES: ReadonlySet<string> = new Set(['I-26', 'I-27']);

function ruleRow({ id, title, of }: Rule): readonly string[] {
  if (JOIN_RULES.has(id)) return [id, title, 'with joins'];
  if (id === 'I-19') return [id, title, 'with rollcall fix auth'];
  const places = {
    isHere: CHECKED_RULES.includes(id),
    hasControllers: CONTROLLER_RULES.has(id),
    hasJanitor: JANITOR_RULES.some((one) => one === id),
    hasAuth: AUTH_SIM_RULES.some((one) => one === id),
    hasGate: GATE_SIM_RULES.includes(id),
    hasAgent: AGENT_RULES.some((one) => one === id),
  };
  return [id, title, stateOf(places, later([of]))];
}

/** Where each planted bug is caught. */
const PLANTED_WHERE: readonly (readonly [
  where: string,
  bugs: readonly { readonly id: string; readonly caughtBy: readonly string[] }[],
])[] = [
  ['here', PLANTED_BUGS],
  ['with controllers', CONTROLLER_BUGS],
  ['with joins', JOIN_BUGS],
  ['with the janitor', JANITOR_BUGS],
  ['with the keeper of aws-auth', AUTH_BUGS],
  ['with the gate', [...GATE_BUGS, ...GATE_MISTAKES, ...MISTAKES_UNDER_FAULTS]],
  ['with slip-ins', SLIP_BUGS],
  ['with the agent', AGENT_BUGS],
];

function plantedRow({ id, title, of }: PlantedKind): readonly string[] {
  const states = PLANTED_WHERE.flatMap(([where, bugs]) => {
    const bug = bugs.find((one) => one.id === id);
    return bug === undefined ? [] : [`${where}, caught by ${bug.caughtBy.join(', ')}`];
  });
  return [id, title, states.length === 0 ? later([of]) : states.join('; ')];
}

/** The declaration of a name in a source file, up to the line that ends it. */
function declaration(path: string, start: string): string {
  const lines = readFileSync(join(SOURCES, path), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(start));
  const last = lines.findIndex((line, index) => index > first && /^[}\])]/.test(line));
  if (first < 0 || last < 0) throw new RangeError(`${path} declares no ${start}`);
  return `\`\`\`ts\n${lines.slice(first, last + 1).join('\n')}\n\`\`\``;
}

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

type Mistake = { readonly id: string; readonly caughtBy: readonly string[] };

function mistakeRow({ id, caughtBy }: Mistake): readonly string[] {
  const title = PLANTED_KINDS.find((one) => one.id === id)?.title;
  return [title === undefined ? id : `${id}: ${title}`, caughtBy.join(', ')];
}

function mistakesTable(mistakes: readonly Mistake[]): string {
  return table(['the mistake', 'caught by'], mistakes.map(mistakeRow));
}

/** With the test that plants each of them. */
function testedMistakes(tested: readonly (readonly [string, readonly Mistake[]])[]): string {
  const rows = tested.flatMap(([path, mistakes]) =>
    mistakes.map((one) => [...mistakeRow(one), `\`${path}\``]),
  );
  return table(['the mistake', 'caught by', 'test'], rows);
}

function janitorTable(): string {
  const rows = JANITOR_BUGS.map(({ id, fault, caughtBy }) => {
    const title = PLANTED_KINDS.find((one) => one.id === id)?.title;
    const name = title === undefined ? id : `${id}: ${title}`;
    return [name, fault ?? 'none', caughtBy.join(', ')];
  });
  return table(['the mistake', 'under', 'caught by'], rows);
}

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
    CONTROLLERS,
    JOINS,
    JANITOR,
    janitorTable(),
    AUTH,
    mistakesTable(AUTH_BUGS),
    GATES,
    testedMistakes([
      ['test/sim/gates/leading.test.ts', GATE_BUGS],
      ['test/sim/gates/worlds.test.ts', [...GATE_MISTAKES, ...MISTAKES_UNDER_FAULTS]],
    ]),
    SLIP_INS,
    testedMistakes([['test/sim/slip-ins/worlds.test.ts', SLIP_BUGS]]),
    AGENTS,
    testedMistakes([['test/sim/agents/world.test.ts', AGENT_BUGS]]),
    ADDING,
    'What the oracle counted over many seeds: [simulation-results.md](simulation-results.md).',
    'How the API server of the world is held against a real one: [differential.md](differential.md).',
  ];
  return { path: 'docs/simulation.md', text: `${sections.join('\n\n')}\n` };
}
