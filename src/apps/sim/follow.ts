import { Reflector } from '../../runtime/reflector/reflector.ts';
import { textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import type { FaultScene } from '../../sim/faults/contract.ts';
import type { Heard } from '../../sim/faults/wire.ts';
import { kubePort } from '../../sim/kube/port.ts';
import type { PlantedBug } from '../../sim/planted/contract.ts';

/** Kinds that the roll call watches too. */
const FOLLOWED: readonly KubeResource[] = [
  { group: '', version: 'v1', plural: 'nodes', kind: 'Node', isNamespaced: false },
  { group: '', version: 'v1', plural: 'pods', kind: 'Pod', isNamespaced: true },
];
const SELECTION = { pods: { namespace: 'kube-system' } } as const;

/**
 * Lets the watchers of Rollcall run in the world; what they keep is told to the stage's wire.
 *
 * @param world ends them with the world: whoever waits for ever keeps all of it in memory
 */
export function follow(stage: FaultScene, bug: PlantedBug | null, world: AbortSignal): void {
  const { simulated, looking } = stage;
  const { kernel } = simulated;
  const { wire } = looking;
  const server = simulated.api;
  const delayMs = ({ resource }: { readonly resource: string }): number => wire.lagMs(resource);
  const port = kubePort({ server, user: simulated.admin.user, clock: kernel.clock(), delayMs });
  const api = wire.through(port);
  for (const resource of FOLLOWED) {
    let life = new AbortController();
    const start = (): void => {
      const { signal } = life;
      const following = { stage, api, resource, bug, signal };
      kernel.spawn(`rollcall/${resource.plural}`, async () => runFollower(following));
    };
    start();
    world.addEventListener('abort', () => life.abort(), { once: true });
    wire.listen({
      onRestart() {
        life.abort();
        life = new AbortController();
        kernel.after(RESTART_MS, start);
      },
    });
  }
}

/** A program is away for a moment as it restarts. */
const RESTART_MS = 1500;

interface Following {
  readonly stage: FaultScene;
  readonly api: KubeApi;
  readonly resource: KubeResource;
  readonly bug: PlantedBug | null;
  readonly signal: AbortSignal;
}

/** A clock whose timers fire late while the wire says so. */
function lateClock({ simulated, looking }: FaultScene, actor: string): Clock {
  const clock = simulated.kernel.clock();
  const random = simulated.kernel.random(`${actor}/late`);
  return {
    ...clock,
    async sleep(durationMs, signal) {
      const mostMs = looking.wire.timersLateMs();
      const lateMs = mostMs === 0 ? 0 : random.next() * mostMs;
      return clock.sleep(durationMs + lateMs, signal);
    },
  };
}

async function runFollower({ stage, api, resource, bug, signal }: Following): Promise<void> {
  const { kernel } = stage.simulated;
  const { plural } = resource;
  const actor = `rollcall/${plural}`;
  const clock = lateClock(stage, actor);
  const selection = plural === 'pods' ? SELECTION.pods : {};
  const tell = (heard: Heard): void => {
    if (!signal.aborted) stage.looking.wire.tell(heard);
  };
  const naive = bug?.follow?.({ api, clock, resource, selection, tell });
  if (naive !== undefined) return naive;
  const reflector: Reflector<number> = new Reflector({
    api,
    clock,
    random: kernel.random(actor),
    resource,
    selection,
    project: (object) => Number(textAt(object, 'metadata.resourceVersion')),
    onChange({ type, key, value: version, previous: before }) {
      const { size } = reflector;
      const { listings } = reflector.state().counts;
      if (type !== 'forgotten') tell({ plural, key, type, version, before, size, listings });
    },
  });
  return reflector.run(signal);
}
