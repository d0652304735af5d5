import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusFailure } from './status-failure.ts';

const NOW_MS = Date.parse('2026-03-02T09:00:00Z');

function failureWith(status: number, headers: Readonly<Record<string, string>>) {
  return statusFailure({
    server: 'https://api.example:6443',
    name: { verb: 'list', resource: 'nodes' },
    status,
    headers,
    text: '',
    refusal: { what: 'the token', remedy: 'make a new one: kubectl create token NAME' },
    nowMs: NOW_MS,
  });
}

function dateIn(ms: number): string {
  return new Date(NOW_MS + ms).toUTCString();
}

for (const [what, header, waitMs] of [
  ['seconds', '7', 7000],
  ['a date to come', dateIn(20_000), 20_000],
  ['a date that has passed', dateIn(-20_000), 0],
  ['a date of tomorrow', dateIn(86_400_000), 600_000],
  ['no time at all', 'soon', null],
] as const)
  test(`a wait asked for by ${what} is ${waitMs === null ? 'not heeded' : `${waitMs} ms`}`, () => {
    assert.equal(failureWith(503, { 'retry-after': header }).retryAfterMs, waitMs);
  });

for (const [aheadMs, words] of [
  [180_000, 'the clock here is 3 min behind the server'],
  [-3_600_000, 'the clock here is 60 min ahead of the server'],
] as const)
  test(`a 401 beside a clock that differs by ${aheadMs} ms is explained by it`, () => {
    const { failure, message } = failureWith(401, { date: dateIn(aheadMs) });
    assert.equal(failure, 'unauthenticated');
    assert.ok(message.includes(words), message);
    assert.ok(message.endsWith('timedatectl set-ntp true'), message);
  });

for (const headers of [{ date: dateIn(120_000) }, { date: dateIn(-120_000) }, {}])
  test(`a 401 with ${JSON.stringify(headers)} is explained by the credential`, () => {
    const { message } = failureWith(401, headers);
    assert.doesNotMatch(message, /clock/);
    assert.ok(message.endsWith('kubectl create token NAME'), message);
  });
