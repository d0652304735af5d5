import type { Seen } from '../../evidence/fact.ts';
import type { EndpointSlice } from '../../evidence/kube/network.ts';

/** A Service by its name, as webhooks and causes refer to it. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** What the EndpointSlices of one Service come to. */
export interface ServiceEndpoints {
  readonly ready: number;
  readonly notReady: number;
  readonly ports: readonly string[];
  /** The slices; none where nobody made one, as for a Service that does not exist. */
  readonly slices: readonly Seen<EndpointSlice>[];
}

/** The endpoints of a Service, by the slices that carry its name. */
export function endpointsOf(
  service: ServiceName,
  slices: readonly Seen<EndpointSlice>[],
): ServiceEndpoints {
  const own = slices.filter(
    ({ value }) => value.namespace === service.namespace && value.service === service.name,
  );
  return {
    ready: own.reduce((sum, { value }) => sum + (value.ready ?? 0), 0),
    notReady: own.reduce((sum, { value }) => sum + (value.notReady ?? 0), 0),
    ports: [...new Set(own.flatMap(({ value }) => (value.ports ?? []).map(String)))],
    slices: own,
  };
}

/** `EndpointSlices of NAMESPACE/NAME: 0 ready, 2 not ready`. */
export function endpointWords({ namespace, name }: ServiceName, of: ServiceEndpoints): string {
  const { ready, notReady, slices } = of;
  if (slices.length === 0) return `no EndpointSlice of the Service ${namespace}/${name} exists`;
  return `EndpointSlices of ${namespace}/${name}: ${ready} ready, ${notReady} not ready`;
}
