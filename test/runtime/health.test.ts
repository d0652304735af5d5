import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PortError } from '../../src/ports/port-error.ts';
import {
  cacheChecks,
  type HealthCheck,
  type HealthReply,
  healthReply,
  queueCheck,
} from '../../src/runtime/health/health.ts';
import type { ReflectorState } from '../../src/runtime/reflector/reflector-options.ts';

function state(change: Partial<ReflectorState>): ReflectorState {
  const none = { listings: 0, watches: 0, probes: 0, deadWatches: 0 };
  return {
    phase: 'watching',
    isSynced: true,
    lastContactMs: 0,
    staleMs: 0,
    lastError: null,
    counts: { ...none, failures: 0, callbackErrors: 0, ignoredEvents: 0 },
    ...change,
  };
}

function ask(path: string, checks: readonly HealthCheck[] = [], method = 'GET'): HealthReply {
  const broken = (): never => assert.fail('it was not asked for');
  return healthReply(
    { method, path },
    {
      live: path === '/livez' || path === '/healthz' ? () => checks : broken,
      ready: path === '/readyz' ? () => checks : broken,
      metrics: path === '/metrics' ? () => 'a 1\n' : broken,
    },
  );
}

const WELL = { name: 'ping', why: null };
const ILL = { name: 'cache-nodes', why: 'not filled yet' };

test('a program that is well says so with 200', () => {
  const contentType = 'text/plain; charset=utf-8';
  const body = '[+]ping ok\nlivez check passed\n';
  assert.deepEqual(ask('/livez', [WELL]), { status: 200, contentType, body });
  assert.equal(ask('/readyz').body, 'readyz check passed\n');
  assert.equal(ask('/livez', [WELL], 'HEAD').status, 200);
  assert.deepEqual(ask('/healthz', [WELL]), { status: 200, contentType, body });
});

test('one check that fails makes 503, with its reason', () => {
  const { status, body } = ask('/readyz', [WELL, ILL]);
  const lines = '[+]ping ok\n[-]cache-nodes failed: not filled yet\nreadyz check failed\n';
  assert.deepEqual([status, body], [503, lines]);
});

test('a reason is one line without secrets', () => {
  const why = 'token abcdef.0123456789abcdef\nfailed';
  assert.doesNotMatch(ask('/livez', [{ name: 'x', why }]).body, /0123456789abcdef|\nfailed/);
});

test('metrics have the content type of their format', () => {
  const contentType = 'text/plain; version=0.0.4; charset=utf-8';
  assert.deepEqual(ask('/metrics'), { status: 200, contentType, body: 'a 1\n' });
});

test('other paths and methods are refused', () => {
  for (const path of ['/', '', '/metrics/', '/livez/x', '/../livez'])
    assert.equal(ask(path).status, 404, path);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get'])
    assert.equal(ask('/livez', [], method).status, 405, method);
});

const error = new PortError({ failure: 'denied', message: 'nodes: not allowed' });
const CACHES: readonly (readonly [Partial<ReflectorState>, string | null])[] = [
  [{}, null],
  [{ staleMs: 15_000 }, null],
  [{ staleMs: 15_001, phase: 'silent' }, 'not confirmed for 15 s (silent)'],
  [
    { staleMs: 90_000, phase: 'denied', lastError: error },
    'not confirmed for 90 s (denied): nodes: not allowed',
  ],
  [{ isSynced: false, phase: 'listing' }, 'not filled yet (listing)'],
  [
    { isSynced: false, phase: 'denied', lastError: error },
    'not filled yet (denied): nodes: not allowed',
  ],
  [{ phase: 'stopped' }, 'the watch has stopped'],
  [{ staleMs: 1000, phase: 'waiting', lastError: error }, null],
];

test('a cache is well when it is filled and was confirmed lately', () => {
  for (const [change, why] of CACHES) {
    const checks = cacheChecks([{ name: 'nodes', state: state(change) }]);
    assert.deepEqual(checks, [{ name: 'cache-nodes', why }]);
  }
});

test('a run that hangs is found', () => {
  assert.deepEqual(queueCheck('lifecycle', 600_000), { name: 'queue-lifecycle', why: null });
  const why = 'one run takes 601 s already';
  assert.deepEqual(queueCheck('lifecycle', 601_000), { name: 'queue-lifecycle', why });
});
