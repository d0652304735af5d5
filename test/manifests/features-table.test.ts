/** The table of features in docs/install.md is what the manifests give. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { featureCases, featuresTable } from '../real/feature-cases.ts';

const PAGE = join(import.meta.dirname, '../../docs/install.md');

test('docs/install.md says which rights each feature adds', () => {
  assert.ok(readFileSync(PAGE, 'utf8').includes(featuresTable()), `write:\n${featuresTable()}`);
});

test('docs/install.md says how many combinations are tested', () => {
  const counts = (['controller', 'gate', 'agent'] as const).map(
    (part) => featureCases(part).length,
  );
  const [controller, gate, agent] = counts;
  const words = `${controller} of the controller, ${gate} of the gate, ${agent} of the agent`;
  assert.ok(readFileSync(PAGE, 'utf8').includes(words), words);
});
