import type { IdentityAccount } from '../../sim/machines/contract.ts';
import type { Scenario } from '../../sim/stories/scenario.ts';
import type { StoryLine, Unmet } from '../../sim/stories/story.ts';
import type { CliContext } from '../cli/context.ts';
import type { LabArguments } from './arguments.ts';
import { twoColumns } from './columns.ts';
import { runFast } from './drive.ts';
import { openPlay } from './play.ts';

/** Exit code of a story that did not end as its scenario says. */
const NOT_AS_EXPECTED = 1;

export function lined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Seconds that pods acted with the wrong identity, and requests that it cost. */
function identityFigures(accounts: readonly IdentityAccount[]): readonly string[] {
  if (accounts.length === 0) return [];
  const sum = (of: (one: IdentityAccount) => number): number =>
    accounts.reduce((total, one) => total + of(one), 0);
  const wrong = Math.round(sum(({ seconds }) => seconds['node-role'] + seconds['other-role']));
  const without = Math.round(sum(({ seconds }) => seconds.none));
  const still = accounts.filter(({ now }) => now === 'node-role').length;
  const requests = sum((one) => one.requests);
  const lost = sum(({ requestsLost }) => requestsLost);
  return [
    '',
    `${accounts.length} pods should have a role: ${wrong} s in total with the node role, ` +
      `${without} s with none; ${lost} of ${requests} requests to AWS were lost; ` +
      `${still} pods still have the node role.`,
  ];
}

/** What is said when a story has been played. */
export function endOfStory(
  scenario: Scenario,
  unmet: readonly Unmet[],
  accounts: readonly IdentityAccount[],
): readonly string[] {
  const wrong = unmet.map(({ expectation, instead }) => {
    const { headline, machine, is, byMs } = expectation;
    const wanted = headline ?? `${machine} ${is}`;
    return `Not as expected: ${wanted} within ${byMs / 1000} s, but ${instead}`;
  });
  const asExpected = `All ${scenario.expect.length} expectations of the story hold.`;
  const unseen = scenario.unseen === '' ? [] : ['', `Not seen: ${scenario.unseen}`];
  const helps = scenario.helps === '' ? [] : ['', `What helps: ${scenario.helps}`];
  const figures = identityFigures(accounts);
  return [...figures, '', ...(wrong.length === 0 ? [asExpected] : wrong), ...unseen, ...helps];
}

/** Plays a story to its end as fast as it goes, without servers. */
export async function playFast(
  scenario: Scenario,
  { seed, nodes }: LabArguments,
  context: CliContext,
): Promise<number> {
  const columns = twoColumns(context.columns);
  const onLine = (line: StoryLine): void => context.out(lined(columns.line(line)));
  const used = seed ?? scenario.seed;
  const { simulated, story } = openPlay({ scenario, seed: used, nodes, onLine });
  context.out(lined([`${scenario.title}   (seed ${used})`, '', ...columns.head()]));
  await runFast(simulated.kernel, story.endMs, story);
  const unmet = story.unmet();
  context.out(lined(endOfStory(scenario, unmet, simulated.hypervisor.identities())));
  return unmet.length === 0 ? 0 : NOT_AS_EXPECTED;
}
