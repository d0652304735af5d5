/** Which real programs this machine has, and what a test that lacks one says. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findProgram, findPython } from '../../tools/real-parts/places.ts';
import {
  CLOUD_CONTROLLER_VERSIONS,
  type CloudControllerVersion,
  cloudControllerProgram,
} from '../../tools/real-parts/recipes.ts';

/** What every control plane is made of. */
export const CONTROL_PLANE = ['kube-apiserver', 'etcd'] as const;

type Need = 'moto' | CloudControllerVersion | (string & {});

/**
 * @param needs programs by name, `moto`, or a version of the AWS cloud controller manager
 * @returns the sentence to skip a test with, or false when nothing is missing, as the `skip`
 *   option of `node:test` takes them
 */
export function missing(...needs: readonly Need[]): string | false {
  if (needs.includes('kube-apiserver') && !isOnPath('openssl'))
    return 'openssl is not installed; run: apt-get install openssl';
  const lacking = needs.find((need) => pathOf(need) === null);
  return lacking !== undefined && `${programOf(lacking)} is not built; run: npm run real-parts`;
}

/** @returns what `missing` says, of programs of the operating system */
export function missingOnPath(...programs: readonly string[]): string | false {
  const lacking = programs.find((program) => !isOnPath(program));
  return lacking !== undefined && `${lacking} is not installed; run: apt-get install ${lacking}`;
}

/** @throws Error with the sentence of `missing`, where a test did not ask before it started */
export function partPath(need: Need): string {
  const path = pathOf(need);
  if (path === null) throw new Error(`${programOf(need)} is not built; run: npm run real-parts`);
  return path;
}

function pathOf(need: Need): string | null {
  return need === 'moto' ? findPython() : findProgram(programOf(need));
}

function programOf(need: Need): string {
  const version = CLOUD_CONTROLLER_VERSIONS.find((one) => one === need);
  return version === undefined ? need : cloudControllerProgram(version);
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
