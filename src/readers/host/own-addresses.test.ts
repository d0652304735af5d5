import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOwnAddresses } from './own-addresses.ts';

const TRIE = `Main:
  +-- 0.0.0.0/0 2 0 2
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 10.0.1.7
        /32 host LOCAL
Local:
     |-- 10.0.1.7
        /32 host LOCAL
`;

test('gives each address of the machine once, and no network or broadcast', () => {
  assert.deepEqual(readOwnAddresses(TRIE), ['127.0.0.1', '10.0.1.7']);
});

test('gives none for another text', () => {
  assert.deepEqual(readOwnAddresses('nothing here\n'), []);
});
