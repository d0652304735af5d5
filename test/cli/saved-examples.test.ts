/** What is cut out of evidence that is saved is nothing that a cause decides by. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openEvidence } from '../../src/adapters/bundle/open.ts';
import type { CollectedDocument } from '../../src/adapters/collection/document.ts';
import { writeBundle } from '../../src/apps/cli/live/bundle.ts';
import { diagnoseObservations, readPile, readTexts } from '../../src/apps/cli/pile.ts';
import type { DiagnosisDocument } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';
import type { Observations } from '../../src/evidence/observations.ts';
import { EVIDENCE_VERSION } from '../../src/readers/ours.ts';
import { type Example, type ExampleFile, loadExamples } from '../causes/example.ts';

/** Answers that hold more than texts, by what is in them. */
const CALLS: readonly (readonly [field: string, call: string])[] = [
  ['cluster', 'eks:DescribeCluster'],
  ['UserData', 'ec2:DescribeInstanceAttribute'],
  ['LaunchTemplateVersions', 'ec2:DescribeLaunchTemplateVersions'],
];

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
  const call = CALLS.find(([field]) => typeof value?.[field] === 'object')?.[1];
  if (value === null || call === undefined) return value ?? text;
  return { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call, input: {}, answer: value };
}

const folder = mkdtempSync(join(tmpdir(), 'rollcall-examples-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;

async function observedAgain(files: readonly ExampleFile[]): Promise<Observations> {
  const path = join(folder, `${count++}.tar.gz`);
  await writeBundle(
    path,
    files.map((file) => ({ name: file.name, locator: file.name, content: contentOf(file) })),
  );
  return readPile(openEvidence([path], ({ what }) => assert.fail(what)));
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

async function assertSame({ files }: Example): Promise<void> {
  const given = await diagnoseObservations(await readTexts(files));
  const again = await diagnoseObservations(await observedAgain(files));
  assert.deepEqual(verdicts(again), verdicts(given));
}

for (const example of loadExamples(
  (process.env['ROLLCALL_CAUSES'] ?? '').split(',').filter(Boolean),
))
  test(`${example.cause}/${example.name}`, () => assertSame(example));
