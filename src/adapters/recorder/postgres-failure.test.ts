import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isOfConnection, isTakenBack, postgresReason } from './postgres-failure.ts';

const coded = (code: string, message = 'said') => Object.assign(new Error(message), { code });
const told = (error: unknown): string => {
  const { failure, message } = postgresReason('db/flight', error);
  return `${failure}: ${message.replace('PostgreSQL db/flight ', '')}`;
};

describe('a failure of PostgreSQL', () => {
  for (const [code, words] of [
    ['08006', 'unreachable: ended the connection.'],
    ['22P05', 'invalid: does not take these rows.'],
    ['25006', 'unavailable: is read-only at present.'],
    ['28P01', 'unauthenticated: does not accept this user or password.'],
    ['3D000', 'not-found: does not exist; create it: createdb.'],
    ['40001', 'unavailable: gave way to another writer.'],
    ['42501', 'denied: does not let this user create or write its tables.'],
    ['53300', 'unavailable: has no room or connections left.'],
    ['57014', 'timeout: took too long.'],
    ['57P01', 'unreachable: ended the connection.'],
    ['57P02', 'unreachable: ended the connection.'],
    ['57P03', 'unavailable: is starting or stopping.'],
    ['ETIMEDOUT', 'timeout: does not answer.'],
    ['ECONNREFUSED', 'unreachable: cannot be reached (ECONNREFUSED).'],
    ['EPIPE', 'unreachable: cannot be reached (EPIPE).'],
    ['08', 'unavailable: could not be used as a flight recorder (08).'],
    ['XECONN', 'unavailable: could not be used as a flight recorder (XECONN).'],
    ['XX000', 'unavailable: could not be used as a flight recorder (XX000).'],
  ] as const)
    test(`with the code ${code} is ${words}`, () => assert.equal(told(coded(code)), words));

  for (const [message, words] of [
    ['Connection terminated unexpectedly', 'unreachable: ended the connection.'],
    ['The server does not support SSL connections', 'unreachable: ended the connection.'],
    ['Query read timeout', 'timeout: does not answer.'],
    ['anything else', 'unavailable: could not be used as a flight recorder.'],
  ] as const)
    test(`without a code is known by ${message}`, () =>
      assert.equal(told(new Error(message)), words));

  test('that is not an error has no known reason', () => {
    assert.equal(told('text'), 'unavailable: could not be used as a flight recorder.');
    assert.equal(told({ code: '57P01' }), 'unavailable: could not be used as a flight recorder.');
  });

  test('keeps its cause', () => {
    const error = coded('57P01');
    assert.equal(postgresReason('db/flight', error).cause, error);
  });

  test('is of the connection, or taken back, where another try may succeed', () => {
    const isOver = (code: string) => isOfConnection(postgresReason('db', coded(code)));
    assert.deepEqual(['57P01', '40001', '42501'].map(isOver), [true, false, false]);
    assert.deepEqual(
      ['57P01', '40P01', '14000'].map((code) => isTakenBack(coded(code))),
      [false, true, false],
    );
    assert.equal(isTakenBack(null), false);
  });
});
