/** What is cut out of saved evidence, and what other names hide, is nothing a cause decides by. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import type { CollectedDocument } from '../../src/collection/document.ts';
import { anonymizerFor } from '../../src/engine/anonymous.ts';
import { createBundle } from '../../src/apps/cli/live/bundle.ts';
import { diagnoseObservations } from '../../src/engine/diagnose.ts';
import { readPile, readTexts } from '../../src/engine/pile.ts';
import { SIGN_TABLE } from '../../src/engine/signs.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import type { Anonymizer } from '../../src/readers/anonymous/anonymizer.ts';
import { EVIDENCE_VERSION } from '../../src/readers/evidence-version.ts';
import { ASKED } from '../causes/asked.ts';
import { type Example, type ExampleFile, loadExamples } from '../causes/example.ts';
import { shareOf, tellShare } from '../share.ts';

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

/** As it is collected: an answer of AWS with the call that it answers. */
function contentOf({ text }: ExampleFile): CollectedDocument['content'] {
  const value = parsed(text);
  if (value === null) return text;
  // A log line in JSON, printed over several lines, is no answer either.
  if ('kind' in value || 'cniVersion' in value || 'level' in value) return value;
  const call = 'ec2:DescribeInstances';
  return { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call, input: {}, answer: value };
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-examples-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;

async function observedAgain(
  files: readonly ExampleFile[],
  hidden: Anonymizer | null,
): Promise<Observations> {
  const path = join(folder, `${count++}.tar.gz`);
  const bundle = createBundle();
  for (const file of files)
    bundle.add({ name: file.name, locator: file.name, content: contentOf(file) }, SIGN_TABLE);
  await bundle.write(path, hidden);
  return readPile(openEvidence([path], ({ what }) => assert.fail(what)));
}

/** The same without the names that were hidden. */
function namelessly({ headline, subjects }: DiagnosisDocument): object {
  return {
    headline: headline === null ? null : [headline.cause, headline.confidence],
    subjects: subjects
      .map(({ kind, verdict, stage, ladder, findings }) =>
        [
          `${kind} ${verdict} ${stage}`,
          ...ladder.map((rung) => `${rung.stage} ${rung.state}`),
          ...findings.map(({ cause, role, confidence }) => `${cause} ${role} ${confidence}`),
        ].join(', '),
      )
      .toSorted(),
  };
}

function verdicts({ headline, subjects }: DiagnosisDocument): object {
  return {
    headline,
    subjects: subjects.map(({ kind, name, verdict, stage, ladder, findings }) => ({
      subject: `${kind} ${name}: ${verdict} ${stage}`,
      ladder: ladder.map((rung) => `${rung.stage} ${rung.state}`),
      findings: findings.map(({ cause, role, confidence }) => `${cause} ${role} ${confidence}`),
    })),
  };
}

async function assertSame({ files, expect }: Example): Promise<void> {
  const seen = await readTexts(files);
  const given = await diagnoseObservations(seen);
  const again = await diagnoseObservations(await observedAgain(files, null));
  assert.deepEqual(verdicts(again), verdicts(given));
  if (expect !== 'found') return;
  const hidden = await observedAgain(files, anonymizerFor([seen]));
  assert.deepEqual(namelessly(await diagnoseObservations(hidden)), namelessly(given));
}

const SAVED_OF = 8;
const examples = loadExamples(ASKED);
const saved = shareOf(examples, SAVED_OF);
tellShare('examples as they are saved', saved.length, examples.length);
for (const example of saved) test(`${example.cause}/${example.name}`, () => assertSame(example));
