import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DhcpLease } from '../../evidence/kinds.ts';
import { leasesSaid, speaksOfLease } from './dhcp-lease.ts';

const lease = (changes: Readonly<Record<string, string>> = {}): string => {
  const statements = {
    interface: '"eth0"',
    'fixed-address': '10.0.31.7',
    'option subnet-mask': '255.255.240.0',
    'option routers': '10.0.16.1',
    'option domain-name': '"ec2.internal"',
    'option domain-name-servers': '10.0.0.2,10.0.0.3',
    'option host-name': '"ip-10-0-31-7"',
    renew: '2 2024/05/14 06:28:11',
    expire: '2 2024/05/14 06:54:02',
    ...changes,
  };
  const lines = Object.entries(statements).map(([name, value]) => `  ${name} ${value};`);
  return ['lease {', ...lines.filter((line) => !line.endsWith(' ;')), '}'].join('\n');
};

const NETWORKD = `# This is private data. Do not parse.
ADDRESS=10.0.31.7
NETMASK=255.255.240.0
ROUTER=10.0.16.1
SERVER_ADDRESS=10.0.16.1
NEXT_SERVER=0.0.0.0
T1=1800
LIFETIME=3600
DNS=10.0.0.2
DOMAINNAME=corp.example.net
HOSTNAME=ip-10-0-31-7
CLIENTID=ffb6220feb00020000ab11`;

function said(text: string): readonly DhcpLease[] {
  return leasesSaid(text, text.split('\n')).map(({ value }) => value);
}

const PLAIN: DhcpLease = {
  interface: 'eth0',
  address: '10.0.31.7',
  domainName: 'ec2.internal',
  hostName: 'ip-10-0-31-7',
  dnsServers: ['10.0.0.2', '10.0.0.3'],
};

describe('leases of dhclient', () => {
  test('name, domain and servers, on several lines or on one', () => {
    assert.deepEqual(said(lease()), [PLAIN]);
    assert.deepEqual(said(lease().replaceAll('\n', ' ')), [PLAIN]);
  });

  test('the last lease of an interface counts, separately for each interface', () => {
    const text = [
      lease({ 'option domain-name': '"old.example.net"' }),
      lease({ interface: '"eth1"', 'fixed-address': '10.0.40.9' }),
      lease({ 'option domain-name': '"ec2.internal corp.example.net"' }),
    ].join('\n');
    assert.deepEqual(said(text), [
      { ...PLAIN, domainName: 'ec2.internal corp.example.net' },
      { ...PLAIN, interface: 'eth1', address: '10.0.40.9' },
    ]);
    assert.deepEqual(
      leasesSaid(text, text.split('\n')).map(({ line, about }) => [line, about[0]?.value]),
      [
        [23, '10.0.31.7'],
        [12, '10.0.40.9'],
      ],
    );
  });

  test('a lease without domain-name gave none', () => {
    assert.equal(said(lease({ 'option domain-name': '' }))[0]?.domainName, '');
  });

  test('rejects text that is not a lease', () => {
    assert.deepEqual(said(lease({ 'fixed-address': 'somewhere' })), []);
    assert.deepEqual(said('the lease { of the building'), []);
    assert.equal(speaksOfLease('failed to ensure lease exists'), false);
  });
});

describe('leases of systemd-networkd and NetworkManager', () => {
  test('name, domain and servers', () => {
    const expected = { ...PLAIN, interface: null, domainName: 'corp.example.net' };
    assert.deepEqual(said(NETWORKD), [{ ...expected, dnsServers: ['10.0.0.2'] }]);
  });

  test('without DOMAINNAME none was given, and an address alone does not show it', () => {
    const without = NETWORKD.replace(/\nDOMAINNAME=.*/, '');
    assert.equal(said(without)[0]?.domainName, '');
    const short = NETWORKD.split('\n').slice(0, 2).join('\n');
    assert.equal(said(short)[0]?.domainName, null);
  });

  test('several files shown one after the other', () => {
    const other = NETWORKD.replace('31.7', '40.9');
    assert.deepEqual(
      said(`${NETWORKD}\n${other}`).map(({ address }) => address),
      ['10.0.31.7', '10.0.40.9'],
    );
  });
});

describe('values of a lease', () => {
  const changed = (name: string, value: string): DhcpLease | undefined =>
    said(lease({ [name]: value }))[0];

  for (const [name, value, field, read] of [
    ['interface', '"ens5.100-a_b"', 'interface', 'ens5.100-a_b'],
    ['interface', '"abcdefghijklmnop"', 'interface', null],
    ['interface', '"eth 0"', 'interface', null],
    ['option domain-name', '"  ec2.internal  "', 'domainName', 'ec2.internal'],
    ['option domain-name', '"a$(b)"', 'domainName', null],
    ['option domain-name', `"${'a '.repeat(21)}a"`, 'domainName', null],
    ['option host-name', '"a b$"', 'hostName', null],
    ['option host-name', '"web-1"', 'hostName', 'web-1'],
    ['option domain-name-servers', '10.0.0.2, x  10.0.0.3', 'dnsServers', ['10.0.0.2', '10.0.0.3']],
    ['option domain-name-servers', '10.0.0.2000', 'dnsServers', []],
    [
      'option domain-name-servers',
      Array(30).fill('10.0.0.2').join(','),
      'dnsServers',
      Array(20).fill('10.0.0.2'),
    ],
  ] as const)
    test(`${name} ${value.slice(0, 40)}`, () =>
      assert.deepEqual(changed(name, value)?.[field], read));

  for (const address of ['10.0.31', 'x10.0.31.7', '10.0.31.7x', '10.0.31.7.8'])
    test(`${address} is no address`, () =>
      assert.deepEqual(said(lease({ 'fixed-address': address })), []));

  test('the machine is named by its address and its host name', () => {
    const text = lease();
    const [one] = leasesSaid(text, text.split('\n'));
    assert.equal(one?.by, 'dhclient lease');
    assert.deepEqual(
      one.about.map((name) => `${name?.kind} ${name?.value}`),
      ['ip 10.0.31.7', 'host ip-10-0-31-7'],
    );
    const nameless = lease({ 'option host-name': '' });
    assert.deepEqual(leasesSaid(nameless, [])[0]?.about[1], null);
  });
});

describe('the form of a lease', () => {
  test('a lease has a limit of characters, and a file one of fields', () => {
    assert.equal(said(lease({ note: 'x'.repeat(15_000) })).length, 1);
    assert.equal(said(lease({ note: 'x'.repeat(16_000) })).length, 0);
    const [head = '', ...fields] = NETWORKD.split('\n');
    const padded = (count: number): string =>
      [head, ...Array.from({ length: count }, (_, index) => `A${index}=`), ...fields].join('\n');
    assert.equal(said(padded(90)).length, 1);
    assert.equal(said(padded(100)).length, 0);
  });

  test('a file of networkd begins with its mark and ends with the first other line', () => {
    const lines = NETWORKD.split('\n');
    const [one] = leasesSaid(NETWORKD, lines);
    assert.deepEqual([one?.by, one?.line], ['DHCP lease of systemd-networkd', 2]);
    assert.deepEqual(said(NETWORKD.replace('# This', 'This')), []);
    assert.deepEqual(said(NETWORKD.replace('ADDRESS=', 'address=')), []);
    assert.deepEqual(said(NETWORKD.replace('DNS=', '\nDNS='))[0]?.dnsServers, []);
    const bySubnet = NETWORKD.replace(/\n(?:SERVER_ADDRESS|DOMAINNAME)=.*/g, '');
    assert.equal(said(bySubnet)[0]?.domainName, '');
    const byServer = NETWORKD.replace(/\n(?:NETMASK|DOMAINNAME)=.*/g, '');
    assert.equal(said(byServer)[0]?.domainName, '');
  });

  for (const [text, speaks] of [
    [NETWORKD, true],
    [lease(), true],
    ['lease', false],
    ['fixed-address', false],
  ] as const)
    test(`${JSON.stringify(text.slice(0, 20))} ${speaks ? 'speaks' : 'does not speak'} of a lease`, () => {
      assert.equal(speaksOfLease(text), speaks);
    });
});
