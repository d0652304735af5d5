/** What a fix works with on a real API server; nobody asks AWS there. */
import { kubeClient } from '../../src/adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../src/adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../src/adapters/kubernetes/system-environment.ts';
import { kubeWriter } from '../../src/adapters/kubernetes/writes.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemRandom } from '../../src/adapters/system/random.ts';
import type { FixTools, UndoNote } from '../../src/controllers/fix/fix.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { perform } from '../../src/runtime/perform.ts';
import type { ControlPlane } from './control-plane.ts';

export interface OpenedTools {
  readonly tools: (isDryRun?: boolean) => FixTools;
  /** Writes of others. */
  readonly writes: KubeWrites;
  readonly notes: UndoNote[];
  readonly close: () => Promise<unknown>;
}

export async function fixToolsAt(plane: ControlPlane): Promise<OpenedTools> {
  const environment = systemKubeEnvironment(systemClock);
  const options = { environment, clock: systemClock };
  const target = await loadKubeTarget(environment, { kubeconfig: plane.kubeconfigPath });
  const [kube, writes] = [kubeClient(target, options), kubeWriter(target, options)];
  const shared = { api: kube, writes, recorder: null, clock: systemClock, cluster: 'real' };
  const notes: UndoNote[] = [];
  const tools = (isDryRun = false): FixTools => ({
    kube,
    aws: null,
    clock: systemClock,
    random: systemRandom,
    perform: async (action) => perform(action, shared, { isDryRun }),
    performAws: async () => {
      throw new TypeError('nobody asks AWS here');
    },
    keep: async (note) => {
      notes.push(note);
    },
  });
  return { tools, writes, notes, close: async () => Promise.all([kube.close(), writes.close()]) };
}
