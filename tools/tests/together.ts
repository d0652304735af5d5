/** Entry of the one process that runs the tests of the pure rooms: they share nothing to disturb. */
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TOGETHER_VARIABLE } from './files.ts';

const files: readonly string[] = JSON.parse(process.env[TOGETHER_VARIABLE] ?? '[]');

for (const file of files) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    test(`loading ${file}`, () => {
      throw error;
    });
  }
}
