import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '../../../evidence/json.ts';
import {
  ENDPOINT_SLICE,
  ENDPOINTS,
  INGRESS,
  INGRESS_CLASS,
  NETWORK_POLICY,
  SERVICE,
} from './network.ts';
import { cell, cells, madeBefore } from './testing.ts';

const metadata = madeBefore(60);
const NAMED = { Name: 'one', Age: '60s' };

describe('a Service', () => {
  test('without anything is a ClusterIP that has nothing', () => {
    assert.deepEqual(cells(SERVICE, { metadata }), {
      ...NAMED,
      Type: 'ClusterIP',
      'Cluster-IP': '<none>',
      'External-IP': '<none>',
      'Port(s)': '<none>',
      Selector: '<none>',
    });
  });

  test('shows its addresses, ports and selector', () => {
    const ports = [{ port: 53, protocol: 'UDP' }, { port: 443, nodePort: 30_443 }, { port: 80 }];
    const spec = { type: 'NodePort', clusterIP: '10.96.0.10', ports, selector: { app: 'dns' } };
    assert.deepEqual(cells(SERVICE, { metadata, spec }), {
      ...NAMED,
      Type: 'NodePort',
      'Cluster-IP': '10.96.0.10',
      'External-IP': '<none>',
      'Port(s)': '53/UDP,443:30443/TCP,80/TCP',
      Selector: 'app=dns',
    });
    const zero = { spec: { ports: [{ port: 80, nodePort: 0 }] } };
    assert.equal(cell(SERVICE, 'Port(s)', zero), '80/TCP');
  });

  test('has the external addresses of its type', () => {
    const external = (spec: JsonObject, ...ingress: readonly JsonObject[]): Json =>
      cell(SERVICE, 'External-IP', { spec, status: { loadBalancer: { ingress } } });
    const externalIPs = ['192.0.2.1', '192.0.2.2'];
    const byName = { hostname: 'lb.example.test' };
    assert.equal(external({ externalIPs }, { ip: '192.0.2.9' }), '192.0.2.1,192.0.2.2');
    const named = { type: 'ExternalName', externalName: 'db.example.test', externalIPs };
    assert.equal(external(named), 'db.example.test');
    const balanced = { type: 'LoadBalancer' };
    assert.equal(external(balanced), '<pending>');
    assert.equal(external(balanced, { ip: '192.0.2.9' }, byName), '192.0.2.9,lb.example.test');
    assert.equal(external({ ...balanced, externalIPs }, {}), '192.0.2.1,192.0.2.2');
  });
});

describe('Endpoints', () => {
  const addresses = (...ips: readonly string[]): JsonObject => ({
    addresses: ips.map((ip) => ({ ip })),
  });
  const shown = (...subsets: readonly JsonObject[]): Json =>
    cell(ENDPOINTS, 'Endpoints', { subsets });

  test('are shown as addresses with each port, or alone', () => {
    assert.equal(shown(), '<none>');
    assert.equal(shown(addresses('10.0.0.1', '10.0.0.2')), '10.0.0.1,10.0.0.2');
    const ports = [{ port: 80 }, { port: 443 }];
    assert.equal(shown({ ...addresses('10.0.0.1'), ports }), '10.0.0.1:80,10.0.0.1:443');
    assert.deepEqual(cells(ENDPOINTS, { metadata }), { ...NAMED, Endpoints: '<none>' });
  });

  test('beyond three are counted', () => {
    assert.equal(shown(addresses('a', 'b', 'c')), 'a,b,c');
    assert.equal(shown(addresses('a', 'b', 'c', 'd', 'e')), 'a,b,c + 2 more...');
    assert.equal(shown(addresses('a', 'b'), addresses('c', 'd')), 'a,b,c + 1 more...');
  });
});

test('an EndpointSlice shows its addresses and ports, and what is unset', () => {
  const ports = [{ port: 80 }, { name: 'any' }];
  const endpoints = [{ addresses: ['10.0.0.1'] }, { addresses: ['10.0.0.2', '10.0.0.3'] }];
  assert.deepEqual(cells(ENDPOINT_SLICE, { metadata, addressType: 'IPv4', ports, endpoints }), {
    ...NAMED,
    AddressType: 'IPv4',
    Ports: '80,*',
    Endpoints: '10.0.0.1,10.0.0.2,10.0.0.3',
  });
  const { Ports, Endpoints } = cells(ENDPOINT_SLICE, { metadata });
  assert.deepEqual([Ports, Endpoints], ['<unset>', '<unset>']);
});

test('an Ingress shows its class, hosts, addresses and ports', () => {
  assert.deepEqual(cells(INGRESS, { metadata }), {
    ...NAMED,
    Class: '<none>',
    Hosts: '*',
    Address: '',
    Ports: '80',
  });
  const rules = [{ host: 'shop.example.test' }, { host: '' }];
  const spec = { ingressClassName: 'alb', rules, tls: [{}] };
  const ingress = [{ ip: '192.0.2.1' }, { hostname: 'lb.example.test' }];
  assert.deepEqual(cells(INGRESS, { metadata, spec, status: { loadBalancer: { ingress } } }), {
    ...NAMED,
    Class: 'alb',
    Hosts: 'shop.example.test,*',
    Address: '192.0.2.1,lb.example.test',
    Ports: '80, 443',
  });
});

test('an IngressClass shows its controller and its parameters', () => {
  const parameters = { apiGroup: 'elbv2.k8s.aws', kind: 'IngressClassParams', name: 'alb' };
  const spec = { controller: 'ingress.k8s.aws/alb', parameters };
  assert.deepEqual(cells(INGRESS_CLASS, { metadata, spec }), {
    ...NAMED,
    Controller: 'ingress.k8s.aws/alb',
    Parameters: 'IngressClassParams.elbv2.k8s.aws/alb',
  });
  const core = { spec: { parameters: { kind: 'ConfigMap', name: 'alb' } } };
  assert.equal(cell(INGRESS_CLASS, 'Parameters', core), 'ConfigMap/alb');
  assert.equal(cell(INGRESS_CLASS, 'Parameters', {}), '<none>');
});

test('a NetworkPolicy shows which pods it selects', () => {
  const spec = { podSelector: { matchLabels: { app: 'shop' } } };
  assert.deepEqual(cells(NETWORK_POLICY, { metadata, spec }), {
    ...NAMED,
    'Pod-Selector': 'app=shop',
  });
  assert.equal(cell(NETWORK_POLICY, 'Pod-Selector', { spec: { podSelector: {} } }), '<none>');
});
