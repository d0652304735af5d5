import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writtenBy } from '../testing.ts';
import { readInterfaces } from './interfaces.ts';

function saidOf(text: string): readonly string[] {
  const { said } = writtenBy((passage) => {
    readInterfaces(passage, text.split('\n'));
  });
  return said.map((one) => one.text);
}

const TWO = ['The machine has the addresses 10.0.0.9/24 172.16.4.9/20'];

test('reads the addresses of a machine as ip and ifconfig print them', () => {
  assert.deepEqual(
    saidOf('lo UNKNOWN 127.0.0.1/8\nens5  UP  10.0.0.9/24 fe80::1/64\nens6@if2  UP  172.16.4.9/20'),
    TWO,
  );
  assert.deepEqual(
    saidOf(
      '    inet 10.0.0.9/24 metric 100 brd 10.0.0.255 scope global dynamic ens5\n    inet 172.16.4.9/20 brd 172.16.15.255 scope global noprefixroute ens6',
    ),
    TWO,
  );
  assert.deepEqual(
    saidOf(
      '2: ens5    inet 10.0.0.9/24 brd 10.0.0.255 scope global ens5\\ valid_lft forever\n3: ens6    inet 172.16.4.9/20 scope global ens6',
    ),
    TWO,
  );
  assert.deepEqual(
    saidOf(
      'eth0: flags=4163<UP>  mtu 1500\n        inet 10.0.0.9  netmask 255.255.255.0  broadcast 10.0.0.255\neth1      Link encap:Ethernet\n          inet addr:172.16.4.9  Bcast:172.16.15.255  Mask:255.255.240.0',
    ),
    TWO,
  );
});

test('bridges, one interface, and outputs of several machines tell no addresses', () => {
  assert.deepEqual(saidOf('ens5 UP 10.0.0.9/24\ndocker0 UP 172.17.0.1/16'), []);
  assert.deepEqual(
    saidOf('$ ssh a ip -br addr\nens5 UP 10.0.0.9/24\n$ ssh b ip -br addr\nens6 UP 172.16.4.9/20'),
    [],
  );
});

test('a pod’s end of a link says which network made it', () => {
  assert.deepEqual(saidOf('eni2c1d0f7ab31@if3  UP'), [
    'The machine has the link eni2c1d0f7ab31 of the VPC CNI',
  ]);
  assert.deepEqual(saidOf('eni-0a1b2c3d4e5f60718 in-use'), []);
});
