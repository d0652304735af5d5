/** Entry of the one process that runs the suites of this folder in turn, over one site. */
import { after, describe, test } from 'node:test';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { IN_TURN_VARIABLE } from '../../tools/tests/files.ts';
import { shareSite } from './world.ts';

/** Of a whole suite, and of each test in it that sets no other. */
const SUITE_TIMEOUT_MS = 600_000;

const files: readonly string[] = JSON.parse(process.env[IN_TURN_VARIABLE] ?? '[]');

/** Loads at once: tests that a file declares later would belong to no suite. */
const load = createRequire(import.meta.url);

after(shareSite());

for (const file of files)
  describe(basename(file, '.test.ts'), { timeout: SUITE_TIMEOUT_MS }, () => {
    try {
      load(file);
    } catch (error) {
      test(`loading ${file}`, () => {
        throw error;
      });
    }
  });
