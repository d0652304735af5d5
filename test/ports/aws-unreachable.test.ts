import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, openAt } from '../../src/adapters/aws/testing.ts';
import { closedPort } from './free-port.ts';

test('a port of AWS without a listener is unreachable', async () => {
  const named = await failureOf(openAt(`http://127.0.0.1:${await closedPort()}`));
  assert.equal(named.failure, 'unreachable');
  assert.match(named.message, /ECONNREFUSED/);
});
