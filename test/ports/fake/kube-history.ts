/** Changes of the API server in memory, and who hears of them. */
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { KubeSelection, KubeWatchEvent } from '../../../src/ports/kube-api.ts';
import type { Channel } from './kube-channel.ts';
import { isSelected } from './kube-selection.ts';

/** One change, as the history keeps it. */
export interface Recorded {
  readonly version: number;
  readonly resource: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: JsonObject;
  readonly before: JsonObject | null;
}

export interface OpenWatch {
  readonly resource: string;
  readonly selection: KubeSelection;
  readonly channel: Channel<KubeWatchEvent>;
  isMuted: boolean;
}

/** A change as it looks through a selection: objects come into it and leave it. */
export function send({ resource, selection, channel }: OpenWatch, recorded: Recorded): void {
  if (recorded.resource !== resource) return;
  const was = recorded.before !== null && isSelected(recorded.before, selection);
  const is = recorded.type !== 'DELETED' && isSelected(recorded.object, selection);
  if (!was && !is) return;
  const type = is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED';
  const resourceVersion = String(recorded.version);
  channel.push({ type, object: recorded.object, resourceVersion, endsInitialEvents: false });
}
