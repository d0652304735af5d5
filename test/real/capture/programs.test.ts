/** The programs still print what decides in the examples that were captured from them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { diagnoseTexts } from '../../../src/engine/diagnose.ts';
import { type ExampleFile, loadExamples } from '../../causes/example.ts';
import { missing, missingOnPath } from '../parts.ts';
import { captureCommand } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { openStage } from './stage.ts';

/** Quick ones, each of another program. */
const AGAIN = ['kubectl/bootstrap-token-reads-node', 'etcd/space-exceeded'];

/** The lines that the headline rests on, without what differs from run to run. */
async function decidingLines(files: readonly ExampleFile[]): Promise<readonly string[]> {
  const { headline, subjects } = await diagnoseTexts(files);
  const findings = subjects.flatMap((subject) => subject.findings);
  const excerpts = findings
    .filter(({ cause }) => cause === headline?.cause)
    .flatMap(({ evidence }) => evidence.map(({ excerpt }) => excerpt));
  return [...new Set(excerpts.map((excerpt) => excerpt.replaceAll(/\d+/g, '0')))];
}

describe('a captured example', () => {
  for (const id of AGAIN) {
    const scenario = SCENARIOS.find((one) => one.id === id);
    const example = loadExamples().find(({ captured }) => captured === captureCommand(id));
    const skip = missing(...(scenario?.needs ?? [])) || missingOnPath(...(scenario?.system ?? []));
    test(`${id} has the deciding lines that the programs print today`, { skip }, async (t) => {
      assert.ok(scenario !== undefined && example !== undefined);
      const stage = openStage();
      t.after(() => stage.close());
      const files = await scenario.run(stage);
      const printed = await decidingLines(
        files.map(({ name, text }) => ({ name, text: stage.plain(text) })),
      );
      const captured = await decidingLines(example.files);
      assert.notDeepEqual(captured, []);
      assert.deepEqual(
        captured.filter((line) => !printed.includes(line)),
        [],
      );
    });
  }
});
