/**
 * `npm run capture [-- [--list] [--write] [SCENARIO…]]`: breaks real programs on purpose and prints
 * what they say as example files.
 *
 * A scenario is named whole or by its beginning (`kubelet/`). `--write` puts each example into the
 * folder of its cause, and what Rollcall said of it the first time into the record of first
 * contacts. Progress is on stderr. Exit code 1 when a scenario failed, 64 when an argument names none.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExampleFile } from '../test/causes/example.ts';
import { missing, missingOnPath } from '../test/real/parts.ts';
import {
  exampleName,
  exampleText,
  type Scenario,
  type Situation,
} from '../test/real/capture/scenario.ts';
import { SCENARIOS } from '../test/real/capture/scenarios.ts';
import { recordFirstContact } from '../test/real/capture/first-contact.ts';
import { type Score, scoreOf } from '../test/real/capture/score.ts';
import { openStage, type Stage } from '../test/real/capture/stage.ts';
import { say } from './real-parts/command.ts';

const CAUSES = join(import.meta.dirname, '../src/causes');

/** The situation that the stage is in. */
let standing: Situation | null = null;

function chosen(names: readonly string[]): readonly Scenario[] {
  if (names.length === 0) return SCENARIOS;
  return SCENARIOS.filter(({ id }) =>
    names.some((name) => id === name || (name.endsWith('/') && id.startsWith(name))),
  );
}

function folderOf(cause: string): string {
  const stage = readdirSync(CAUSES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .find(({ name }) => readdirSync(join(CAUSES, name)).includes(cause));
  if (stage === undefined) throw new Error(`${cause} is no cause`);
  return join(CAUSES, stage.name, cause, 'examples');
}

async function capture(stage: Stage, scenario: Scenario): Promise<readonly ExampleFile[]> {
  const { situation } = scenario;
  if (situation === undefined || situation !== standing) await stage.clear();
  if (situation !== undefined && situation !== standing) await situation.prepare(stage);
  standing = situation ?? null;
  const files = await scenario.run(stage);
  return files.map(({ name, text }) => ({ name, text: stage.plain(text) }));
}

function write(scenario: Scenario, text: string): void {
  const path = join(folderOf(scenario.cause), exampleName(scenario));
  rmSync(path, { force: true });
  writeFileSync(path, text);
}

function sayScore({ id }: Scenario, { outcome, said }: Score): void {
  say(`${outcome.padEnd(14)} ${id}: ${said.join(', ') || 'nothing named'}`);
}

/** @returns whether it could be captured */
async function one(stage: Stage, scenario: Scenario, toFolder: boolean): Promise<boolean> {
  const lacking = missing(...scenario.needs) || missingOnPath(...scenario.system);
  if (lacking !== false) {
    say(`skipped        ${scenario.id}: ${lacking}`);
    return false;
  }
  try {
    const files = await capture(stage, scenario);
    const score = await scoreOf(scenario, files);
    sayScore(scenario, score);
    const text = exampleText(scenario, files);
    if (toFolder) write(scenario, text);
    else console.log(text);
    if (toFolder) recordFirstContact(scenario, score);
    return true;
  } catch (error) {
    standing = null;
    say(`failed         ${scenario.id}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function all(scenarios: readonly Scenario[], toFolder: boolean): Promise<number> {
  const stage = openStage();
  let failed = 0;
  try {
    for (const scenario of scenarios) if (!(await one(stage, scenario, toFolder))) failed += 1;
  } finally {
    await stage.close();
  }
  return failed === 0 ? 0 : 1;
}

function list(scenarios: readonly Scenario[]): void {
  for (const { id, expect, cause, source } of scenarios)
    console.log(`${id}\t${expect} ${cause}\t${source}`);
}

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'));
  const scenarios = chosen(names);
  if (scenarios.length === 0) {
    say(`${names.join(', ')} names no scenario; list them: npm run capture -- --list`);
    return 64;
  }
  if (args.includes('--list')) {
    list(scenarios);
    return 0;
  }
  return all(scenarios, args.includes('--write'));
}

process.exitCode = await main(process.argv.slice(2));
