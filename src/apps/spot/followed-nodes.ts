import { systemClock } from '../../adapters/system/clock.ts';
import { systemRandom } from '../../adapters/system/random.ts';
import { NODES } from '../../collection/resources.ts';
import { readSpotNode, type SpotNode } from '../../domain/nodes/spot-node.ts';
import type { Refusal } from '../../evidence/observations.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';

/** A watch that was not confirmed for so long shows nothing that may be acted on. */
const STALE_MS = 60_000;

/** The Nodes of a cluster as its watch brings them. */
export class FollowedNodes {
  readonly #reflector: Reflector<SpotNode>;
  #bug: { readonly error: unknown } | null = null;

  /** @param onChange hears of each change of a Node that matters here */
  constructor(api: KubeApi, onChange: () => void) {
    this.#reflector = new Reflector({
      api,
      clock: systemClock,
      random: systemRandom,
      resource: NODES,
      project: readSpotNode,
      onChange: ({ value, previous }) => {
        // Each heartbeat is a new version, which changes nothing here.
        const told = (node: SpotNode | null): string =>
          JSON.stringify({ ...node, resourceVersion: '' });
        if (told(value) !== told(previous)) onChange();
      },
      onBug: (error) => {
        this.#bug ??= { error };
      },
    });
  }

  async run(stop: AbortSignal): Promise<void> {
    await this.#reflector.run(stop);
  }

  async whenSynced(): Promise<void> {
    await this.#reflector.whenSynced();
  }

  /** null while they are unknown. */
  all(): readonly SpotNode[] | null {
    if (this.#bug !== null) throw this.#bug.error;
    const { isSynced, staleMs } = this.#reflector.state();
    return isSynced && staleMs < STALE_MS ? [...this.#reflector.values()] : null;
  }

  /** Why they are unknown; none while they are not. */
  refusals(): readonly Pick<Refusal, 'call' | 'message'>[] {
    const { lastError, staleMs } = this.#reflector.state();
    if (this.all() !== null) return [];
    const message = lastError?.message ?? `not confirmed for ${Math.floor(staleMs / 1000)} s`;
    return [{ call: 'list nodes', message }];
  }
}
