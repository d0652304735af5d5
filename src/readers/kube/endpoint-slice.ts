import { at, type Json, type JsonObject, listAt, textsAt } from '../../evidence/json.ts';

/** Addresses of one slice that are counted; the API server takes 1000 at most. */
const ENDPOINTS_MAX = 1000;
const PORTS_MAX = 100;
const SERVICE_LABEL = 'kubernetes.io/service-name';

/** An endpoint that does not say whether it is ready counts as ready (discovery.k8s.io/v1). */
function isReady(endpoint: Json): boolean {
  return at(endpoint, 'conditions.ready') !== false;
}

/** Counts instead of endpoints, since there may be thousands of slices with a hundred addresses each. */
export function countedEndpoints(value: JsonObject): JsonObject {
  const endpoints = listAt(value, 'endpoints').slice(0, ENDPOINTS_MAX);
  const ready = endpoints.filter(isReady).length;
  return {
    service: textsAt(value, 'metadata.labels')[SERVICE_LABEL] ?? null,
    ready,
    notReady: endpoints.length - ready,
    ports: listAt(value, 'ports')
      .slice(0, PORTS_MAX)
      .map((port) => at(port, 'port') ?? null),
  };
}
