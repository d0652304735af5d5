import { at, type Json, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import {
  age,
  type Column,
  columns,
  joined,
  name,
  NONE,
  objectsAt,
  orNone,
  pairs,
  selector,
  text,
} from './column.ts';

function portOf(port: JsonObject): string {
  const own = textAt(port, 'port') ?? '';
  const nodePort = textAt(port, 'nodePort');
  const protocol = textAt(port, 'protocol') ?? 'TCP';
  return nodePort === null || nodePort === '0'
    ? `${own}/${protocol}`
    : `${own}:${nodePort}/${protocol}`;
}

function externalOf(service: JsonObject): Json {
  const type = textAt(service, 'spec.type');
  const extra = listAt(service, 'spec.externalIPs').map(String);
  if (type === 'ExternalName') return textAt(service, 'spec.externalName') ?? '';
  if (type !== 'LoadBalancer') return extra.length === 0 ? NONE : extra.join(',');
  const given = objectsAt(service, 'status.loadBalancer.ingress').map(
    (one) => textAt(one, 'ip') ?? textAt(one, 'hostname'),
  );
  return joined([...given, ...extra]) || '<pending>';
}

export const SERVICE: readonly Column[] = columns(
  'Name/name | Type | Cluster-IP | External-IP | Port(s) | Age | Selector*1',
  name,
  text('spec.type', 'ClusterIP'),
  orNone('spec.clusterIP'),
  externalOf,
  (service) => objectsAt(service, 'spec.ports').map(portOf).join(',') || NONE,
  age,
  (service) => pairs(at(service, 'spec.selector')),
);

/** Addresses named in one cell, then only counted. */
const ADDRESSES_MAX = 3;

function few(values: readonly string[]): string {
  const more = values.length - ADDRESSES_MAX;
  const shown = values.slice(0, ADDRESSES_MAX).join(',');
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function addressesOf(endpoints: JsonObject): Json {
  const all = objectsAt(endpoints, 'subsets').flatMap((subset) => {
    const addresses = objectsAt(subset, 'addresses').map((one) => textAt(one, 'ip') ?? '');
    const ports = objectsAt(subset, 'ports').map((one) => textAt(one, 'port') ?? '');
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((address) => `${address}:${port}`));
  });
  return few(all) || NONE;
}

export const ENDPOINTS: readonly Column[] = columns(
  'Name/name | Endpoints | Age',
  name,
  addressesOf,
  age,
);

export const ENDPOINT_SLICE: readonly Column[] = columns(
  'Name/name | AddressType | Ports | Endpoints | Age',
  name,
  text('addressType'),
  (slice) => {
    const ports = objectsAt(slice, 'ports').map((one) => textAt(one, 'port') ?? '*');
    return few(ports) || '<unset>';
  },
  (slice) => {
    const all = objectsAt(slice, 'endpoints').flatMap((one) =>
      listAt(one, 'addresses').map(String),
    );
    return few(all) || '<unset>';
  },
  age,
);

function hostsOf(ingress: JsonObject): Json {
  const hosts = objectsAt(ingress, 'spec.rules').map((rule) => textAt(rule, 'host') || '*');
  return few(hosts) || '*';
}

export const INGRESS: readonly Column[] = columns(
  'Name/name | Class | Hosts | Address | Ports | Age',
  name,
  orNone('spec.ingressClassName'),
  hostsOf,
  (ingress) =>
    joined(
      objectsAt(ingress, 'status.loadBalancer.ingress').map(
        (one) => textAt(one, 'ip') ?? textAt(one, 'hostname'),
      ),
    ),
  (ingress) => (listAt(ingress, 'spec.tls').length === 0 ? '80' : '80, 443'),
  age,
);

export const INGRESS_CLASS: readonly Column[] = columns(
  'Name/name | Controller | Parameters | Age',
  name,
  text('spec.controller'),
  (object) => {
    const kind = textAt(object, 'spec.parameters.kind');
    if (kind === null) return NONE;
    const group = textAt(object, 'spec.parameters.apiGroup');
    const own = textAt(object, 'spec.parameters.name') ?? '';
    return `${kind}${group === null ? '' : `.${group}`}/${own}`;
  },
  age,
);

export const NETWORK_POLICY: readonly Column[] = columns(
  'Name/name | Pod-Selector | Age',
  name,
  selector('spec.podSelector'),
  age,
);
