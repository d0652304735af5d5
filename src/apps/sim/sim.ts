import type { Violation } from '../../sim/invariants/contract.ts';
import { Tally } from '../../sim/oracle/tally.ts';
import type { CliContext } from '../cli/context.ts';
import { EXIT } from '../cli/exit-code.ts';
import { mustBeWritable } from '../cli/live/bundle.ts';
import type { SimArguments } from './arguments.ts';
import { writeFailure } from './failure-bundle.ts';
import { runSeed, type SeedRun } from './one-seed.ts';
import { failureText, seedLine } from './report.ts';
import { scoreLines, tallyJson, tallyTables } from './tally-tables.ts';
import { kindOf, shrinkFailure, type SmallFailure } from './shrink-failure.ts';
import { Totals, totalsText } from './totals.ts';

interface Failed {
  readonly from: SeedRun;
  readonly small: SmallFailure;
  readonly file: string | null;
}

interface Campaign {
  readonly totals: Totals;
  readonly tally: Tally;
  readonly failures: Failed[];
  /** Of violations that were shrunk. */
  readonly kinds: Set<string>;
  failed: number;
  readonly seeds: SeedRun[];
}

/** Runs seeds one after the other; 0 when everything held in all of them, else 1. */
export async function simulate(given: SimArguments, context: CliContext): Promise<number> {
  if (given.save !== null) await mustBeWritable(given.save);
  const campaign: Campaign = {
    totals: new Totals(),
    tally: new Tally(),
    failures: [],
    kinds: new Set(),
    failed: 0,
    seeds: [],
  };
  for (let index = 0; index < given.count; index++) {
    await runOne(given.seed + index, given, campaign, context);
    if (given.isUntilFailure && campaign.failures.length > 0) break;
  }
  print(given, campaign, context);
  return campaign.failures.length === 0 ? EXIT.usable : EXIT.notUsable;
}

async function runOne(
  seed: number,
  given: SimArguments,
  campaign: Campaign,
  context: CliContext,
): Promise<void> {
  const { wishes, bug, output, isTwinned } = given;
  context.progress(`seed ${seed}`);
  const onJudged: Parameters<typeof runSeed>[0]['onJudged'] = (judged, { way }) =>
    campaign.tally.add(seed, judged, way);
  const run = await runSeed({ seed, wishes, bug, onJudged, isTwinned });
  campaign.totals.add(run.result, run.swarm.wholeMs, run.wallMs);
  context.progress('');
  if (output === 'text') context.out(`${seedLine(run)}\n`);
  campaign.seeds.push(run);
  for (const violation of run.result.violations) {
    campaign.failed += 1;
    if (campaign.kinds.has(kindOf(violation))) continue;
    campaign.kinds.add(kindOf(violation));
    await shrinkOne(run, violation, given, campaign, context);
  }
}

/** Each kind of failure is shrunk once. */
async function shrinkOne(
  run: SeedRun,
  violation: Violation,
  { wishes, bug, save, output, isTwinned }: SimArguments,
  campaign: Campaign,
  context: CliContext,
): Promise<void> {
  context.progress(`shrinking seed ${run.swarm.seed}`);
  const small = await shrinkFailure(run, wishes, violation, { bug, isTwinned });
  if (small.run.injections.length === 1) campaign.totals.marks.reach('shrunk-to-one-fault');
  const file = campaign.failures.length === 0 ? save : null;
  if (file !== null) await writeFailure(small, file);
  context.progress('');
  campaign.failures.push({ from: run, small, file });
  if (output === 'text') context.out(failureText(small, run, file));
}

function print({ output, count }: SimArguments, campaign: Campaign, context: CliContext): void {
  const { totals, tally, failures, seeds } = campaign;
  if (output === 'json') context.out(`${JSON.stringify(jsonOf(campaign), null, 2)}\n`);
  if (output === 'text' && count > 1) context.out(`${totalsText(totals)}${scoreLines(tally)}`);
  if (output === 'markdown') {
    context.out(tallyTables(tally));
    for (const { small, from, file } of failures)
      context.out(`\n${failureText(small, from, file)}`);
  }
  seeds.length = 0;
}

function jsonOf({ totals, tally, failures, seeds }: Campaign): object {
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'Simulation',
    seeds: seeds.map(({ swarm, hash, result }) => ({
      seed: swarm.seed,
      hash,
      world: swarm.world,
      faults: result.happened,
      violations: result.violations,
    })),
    failures: failures.map(({ from, small, file }) => ({
      seed: from.swarm.seed,
      violation: small.violation,
      again: small.repro,
      evidence: file,
    })),
    ...tallyJson(tally),
    totals: totals.toJson(),
  };
}
