/** Loads the tests of a group into this process: they share nothing to disturb. */
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Group, TOGETHER_VARIABLE } from '../files.ts';

/** @param group whose files, which the environment names, are loaded one after the other */
export async function loadGroup(group: Group): Promise<void> {
  const groups: Readonly<Partial<Record<Group, readonly string[]>>> = JSON.parse(
    process.env[TOGETHER_VARIABLE] ?? '{}',
  );
  for (const file of groups[group] ?? []) {
    try {
      await import(pathToFileURL(file).href);
    } catch (error) {
      test(`loading ${file}`, () => {
        throw error;
      });
    }
  }
}
