/** What kubelets of the API server in memory serve of their machines' logs. */
import type { KubeNodeLog, KubeNodeLogPlace } from '../../../src/ports/kube-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { fault } from './kube-fault.ts';

/** Texts or refusals by `NODE PLACE`. */
export type ServedLogs = Map<string, string | PortError>;

/** @throws PortError */
export function servedLog(
  served: ServedLogs,
  node: string,
  place: KubeNodeLogPlace,
  bytesMax: number,
): KubeNodeLog {
  const key = 'unit' in place ? `?${place.unit}` : place.path;
  const text = served.get(`${node} ${key}`);
  if (text === undefined) throw fault('not-found', key);
  if (text instanceof PortError) throw text;
  const bytes = new TextEncoder().encode(text);
  const from = Math.max(0, bytes.length - bytesMax);
  return { bytes: bytes.subarray(from), isCut: from > 0 };
}
