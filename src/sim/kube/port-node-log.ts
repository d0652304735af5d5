import { type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeNodeLog, KubeNodeLogPlace } from '../../ports/kube-api.ts';
import { PortError, type PortFailure } from '../../ports/port-error.ts';
import { type AskedName, portErrorOf } from './port-failure.ts';

const FAILURES: Readonly<Record<number, PortFailure>> = {
  404: 'not-found',
  405: 'unsupported',
  406: 'invalid',
};

/** The end of what a kubelet serves. @throws PortError for a refusal of it or of the API server */
export function nodeLogOf(
  asked: AskedName,
  place: KubeNodeLogPlace,
  { code, object }: { readonly code: number; readonly object: JsonObject },
  bytesMax: number,
): KubeNodeLog {
  const text = object['text'];
  if (typeof text !== 'string') throw portErrorOf(asked, code, object);
  const isListing = textAt(object, 'type') === 'text/html';
  if (code >= 300 || (isListing && 'unit' in place))
    throw new PortError({
      failure: FAILURES[code] ?? (code >= 500 ? 'unavailable' : 'unsupported'),
      message: isListing
        ? 'The kubelet does not serve journals; turn them on in its configuration: enableSystemLogQuery: true'
        : `The kubelet answered ${asked.verb} ${asked.resource} with HTTP ${code} (${text.trim().slice(0, 100)})`,
    });
  const bytes = new TextEncoder().encode(text);
  const isCut = bytes.length > bytesMax;
  return { bytes: bytes.subarray(Math.max(0, bytes.length - bytesMax)), isCut };
}
