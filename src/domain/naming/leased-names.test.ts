import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DhcpLease } from '../../evidence/kinds.ts';
import { fact } from '../../evidence/testing.ts';
import {
  domainWords,
  leaseAt,
  leasedDomains,
  leaseWithServer,
  serverWords,
} from './leased-names.ts';

function lease(change: Partial<DhcpLease> = {}) {
  return fact<DhcpLease>({
    interface: 'eth0',
    address: '10.0.0.1',
    domainName: 'a.example',
    hostName: null,
    dnsServers: ['10.0.0.2', '10.0.0.3'],
    ...change,
  });
}

test('the lease of an address is the last that shows options', () => {
  const [first, last] = [lease(), lease({ domainName: '' })];
  const others = [lease({ address: '10.0.0.9' }), lease({ domainName: null })];
  assert.equal(leaseAt([first, last, ...others], '10.0.0.1'), last);
  assert.equal(leaseAt(others, '10.0.0.1'), null);
  assert.equal(leaseAt([first], null), null);
});

test('a lease gives the domains of its text', () => {
  assert.deepEqual(leasedDomains(lease({ domainName: ' a.example   b.example' })), [
    'a.example',
    'b.example',
  ]);
  for (const domainName of ['', ' ', null])
    assert.deepEqual(leasedDomains(lease({ domainName })), []);
});

test('a lease is quoted with interface, address and what it gave', () => {
  assert.equal(domainWords(lease()), 'test on eth0: 10.0.0.1, domain-name a.example');
  assert.equal(
    domainWords(lease({ interface: null, domainName: '' })),
    'test: 10.0.0.1, no domain-name',
  );
  assert.equal(
    serverWords(lease()),
    'test on eth0: 10.0.0.1, domain-name-servers 10.0.0.2 10.0.0.3',
  );
  assert.equal(
    serverWords(lease({ interface: null })),
    'test: 10.0.0.1, domain-name-servers 10.0.0.2 10.0.0.3',
  );
});

test('the lease of a DNS server is the first that gave it', () => {
  const [one, other] = [lease({ dnsServers: ['10.0.0.9'] }), lease()];
  assert.equal(leaseWithServer([one, other, lease()], '10.0.0.3'), other);
  assert.equal(leaseWithServer([one], '10.0.0.3'), null);
});
