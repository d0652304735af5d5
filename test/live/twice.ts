/**
 * Looks at a live cluster as `rollcall` does, and then at what it saved: prints what the live look
 * said and ends as it ended, and leaves in FOLDER what it compared and where the two looks differ.
 *
 *     node twice.ts FOLDER diagnose|status …
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { DiagnosisDocument, Finding } from '../../src/diagnosis/document.ts';
import type { RollCallDocument } from '../../src/diagnosis/roll-call/document.ts';
import { documentOf, endOf, type Run, startRollcall, type Surroundings } from './rollcall.ts';

type Comparable = Readonly<Record<string, object>>;

function wordsOf({ cause, role, confidence, explainedBy, summary, evidence }: Finding): object {
  const excerpts = evidence.map(({ excerpt }) => excerpt);
  return { cause, role, confidence, explainedBy, summary, excerpts };
}

/** What two looks at the same cluster have in common, by subject. */
function verdicts({ subjects }: DiagnosisDocument): Comparable {
  return Object.fromEntries(
    subjects.map(({ kind, name, instanceId, node, verdict, stage, ladder, findings }) => [
      `${kind} ${name}`,
      {
        instanceId,
        node,
        verdict,
        stage,
        ladder: ladder.map((rung) => `${rung.stage} ${rung.state}`),
        findings: findings.map(wordsOf),
      },
    ]),
  );
}

function rows({ stdout, stderr }: Run): Comparable {
  if (stdout === '') throw new Error(`rollcall called no roll; it said: ${stderr}`);
  const document = JSON.parse(stdout) as RollCallDocument;
  return Object.fromEntries(document.rows.map((row) => [`row ${row.name}`, row]));
}

/** Machines that were not asked about are in the saved evidence too. */
function differences(live: Comparable, saved: Comparable): readonly object[] {
  return Object.entries(live)
    .filter(([name, said]) => !isDeepStrictEqual(said, saved[name]))
    .map(([name, said]) => ({ name, live: said, saved: saved[name] ?? null }));
}

const [parent = '', command = '', ...rest] = process.argv.slice(2);
const env = process.env as Surroundings;
const folder = mkdtempSync(join(parent, 'look-'));
const bundle = join(folder, 'saved.tar.gz');
const ask = (...args: readonly string[]): Promise<Run> => endOf(startRollcall(args, env));

/** Two looks at one cluster. */
export interface Looks {
  readonly asked: readonly string[];
  /** Subjects or rows that were compared. */
  readonly compared: number;
  readonly differences: readonly object[];
}

async function diagnoseTwice(): Promise<readonly [Run, Comparable, Comparable]> {
  const live = await ask('diagnose', ...rest, '--save', bundle);
  const again = await ask('diagnose', bundle, '-o', 'json');
  const [first, second] = [documentOf(live), documentOf(again)];
  const isWhole = rest[0]?.startsWith('-') === true;
  const whole = ({ code }: Run, { headline }: DiagnosisDocument): Comparable => ({
    headline: { headline },
    // Of one machine that is asked about, the bundle holds its neighbours too.
    ...(isWhole ? { 'exit code': { code } } : {}),
  });
  return [
    live,
    { ...verdicts(first), ...whole(live, first) },
    { ...verdicts(second), ...whole(again, second) },
  ];
}

async function callTheRollTwice(): Promise<readonly [Run, Comparable, Comparable]> {
  const live = await ask('status', ...rest);
  await ask('diagnose', '--save', bundle);
  const again = await ask('status', bundle, '-o', 'json');
  return [live, rows(live), rows(again)];
}

const [live, first, second] = await (command === 'status' ? callTheRollTwice() : diagnoseTwice());
const looks: Looks = {
  asked: [command, ...rest],
  compared: Object.keys(first).length,
  differences: differences(first, second),
};
rmSync(folder, { recursive: true });
writeFileSync(`${folder}.json`, JSON.stringify(looks));
process.stdout.write(live.stdout);
process.stderr.write(live.stderr);
process.exitCode = live.code ?? 70;
