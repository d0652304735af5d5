import { isAbsolute, resolve } from 'node:path';
import { codeOf, type KubeEnvironment } from './environment.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-file.ts';
import { notConfigured, unreadable } from './not-configured.ts';
import { listed, quoted, shown } from './words.ts';

/**
 * The merged kubeconfig by `--kubeconfig`, else KUBECONFIG, else ~/.kube/config.
 * @returns null when nothing is named and there is no file in the home folder
 * @throws PortError `not-configured`
 */
export async function readKubeconfigs(
  environment: KubeEnvironment,
  explicitPath: string | undefined,
): Promise<Kubeconfig | null> {
  if (explicitPath !== undefined) return await explicit(environment, explicitPath);
  const paths = (environment.env['KUBECONFIG'] ?? '').split(':').filter((path) => path !== '');
  if (paths.length > 0) return await named(environment, paths);
  return await readOne(environment, resolve(environment.home, '.kube/config'));
}

async function explicit(environment: KubeEnvironment, path: string): Promise<Kubeconfig> {
  const found = await readOne(environment, path);
  if (found !== null) return found;
  throw notConfigured(
    `The kubeconfig ${shown(path)} given by --kubeconfig does not exist; look for it: ` +
      `ls -l ${quoted(path)}`,
  );
}

/** Files that are not there are passed over, as kubectl does, while one is. */
async function named(environment: KubeEnvironment, paths: readonly string[]): Promise<Kubeconfig> {
  const unique = [...new Set(paths)];
  const read = await Promise.all(unique.map((path) => readOne(environment, path)));
  const found = read.filter((file) => file !== null);
  if (found.length > 0) return mergeKubeconfigs(found);
  throw notConfigured(
    `KUBECONFIG names ${listed(unique)}, and no such file exists; name one that does, or use ` +
      'the default: unset KUBECONFIG',
  );
}

async function readOne(environment: KubeEnvironment, path: string): Promise<Kubeconfig | null> {
  try {
    return parseKubeconfig(path, await environment.readFile(absolute(environment, path)));
  } catch (error) {
    if (codeOf(error) === '') throw error;
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw unreadable(`The kubeconfig ${shown(path)}`, path, error);
  }
}

/** A leading `~/`, which a shell leaves alone inside a list, is the home folder. */
function absolute({ home }: KubeEnvironment, path: string): string {
  return path.startsWith('~/') ? resolve(home, path.slice(2)) : path;
}

/** A path inside a kubeconfig is relative to the folder of that kubeconfig. */
export function besideFile(kubeconfigPath: string, path: string): string {
  return isAbsolute(path) ? path : resolve(kubeconfigPath, '..', path);
}
