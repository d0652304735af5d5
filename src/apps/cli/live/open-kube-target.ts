import { loadKubeTarget } from '../../../adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../../adapters/kubernetes/system-environment.ts';
import type { KubeEnvironment } from '../../../adapters/kubernetes/environment.ts';
import type { KubeTarget } from '../../../adapters/kubernetes/target.ts';
import { systemClock } from '../../../adapters/system/clock.ts';
import type { LiveFlags } from './flags.ts';

/** What the flags and the kubeconfig name. @throws PortError */
export async function openKubeTarget(
  flags: LiveFlags,
): Promise<{ readonly target: KubeTarget; readonly environment: KubeEnvironment }> {
  const environment = systemKubeEnvironment(systemClock);
  const target = await loadKubeTarget(environment, {
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    ...(flags.context === undefined ? {} : { context: flags.context }),
  });
  return { target, environment };
}
