import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ApiServerPlaces,
  apiServerProbe,
  clockProbe,
} from '../../src/collection/agent/api-server.ts';
import type { HostProbed } from '../../src/ports/host.ts';
import type { FakeMachine } from '../ports/fake/host.ts';
import { messageOf, TIMES, toolsOf, verdictOf } from './scene.ts';

const TLS: NonNullable<HostProbed['tls']> = {
  isTrusted: true,
  why: null,
  subject: 'CN=kube-apiserver',
  issuer: 'CN=ca',
  validFrom: '',
  validTo: '',
  names: [],
};
const WELL = { tls: TLS, clockOffsetMs: 400, connectMs: 3 };
const LATE = { failure: 'timeout' } as const;
const SERVICE = '10.96.0.1:443';
const DIRECT = '10.0.0.5:6443';

function places(change: Partial<ApiServerPlaces> = {}): ApiServerPlaces {
  return {
    service: { host: '10.96.0.1', port: 443 },
    direct: () => [{ host: '10.0.0.5', port: 6443 }],
    serverName: 'kubernetes.default.svc',
    caPem: null,
    ...change,
  };
}

const CASES: readonly (readonly [string, NonNullable<FakeMachine['servers']>, string])[] = [
  ['both ways', { [SERVICE]: WELL, [DIRECT]: WELL }, 'yes Reachable'],
  ['the service address alone', { [SERVICE]: WELL }, 'yes Reachable'],
  ['its own address alone', { [SERVICE]: LATE, [DIRECT]: WELL }, 'no ServiceAddressLeadsNowhere'],
  ['no way', { [SERVICE]: LATE, [DIRECT]: LATE }, 'no Unreachable'],
  [
    'another server',
    { [SERVICE]: { ...WELL, tls: { ...TLS, isTrusted: false, why: 'SELF_SIGNED' } } },
    'no UntrustedCertificate',
  ],
];

for (const [what, servers, verdict] of CASES)
  test(`the API server by ${what}: ${verdict}`, async () => {
    const probe = apiServerProbe(toolsOf({ servers }), places(), TIMES);
    assert.equal(await verdictOf(probe), verdict);
  });

test('one of several own addresses is enough', async () => {
  const servers = { [SERVICE]: LATE, '10.0.0.6:6443': WELL };
  const direct = () => ['10.0.0.5', '10.0.0.6'].map((host) => ({ host, port: 6443 }));
  const probe = apiServerProbe(toolsOf({ servers }), places({ direct }), TIMES);
  assert.equal(await verdictOf(probe), 'no ServiceAddressLeadsNowhere');
  assert.match(await messageOf(probe), /Directly: 10\.0\.0\.6:6443 connects in 3 ms\./);
});

test('says that no own address is known, and that it is in no pod', async () => {
  const tools = toolsOf({ servers: { [SERVICE]: WELL } });
  const alone = apiServerProbe(tools, places({ direct: () => [] }), TIMES);
  assert.match(await messageOf(alone), /No direct address is known/);
  const outside = apiServerProbe(tools, places({ service: null }), TIMES);
  assert.equal(await verdictOf(outside), 'unknown NoServiceAddress');
});

for (const [offsetMs, verdict] of [
  [400, 'yes InStep'],
  [-10_000, 'yes InStep'],
  [10_001, 'no OutOfStep'],
  [-3_600_000, 'no OutOfStep'],
] as const)
  test(`a clock ${offsetMs} ms off is ${verdict}`, async () => {
    const tools = toolsOf({ servers: { [SERVICE]: { ...WELL, clockOffsetMs: offsetMs } } });
    assert.equal(await verdictOf(clockProbe(tools, places(), TIMES)), verdict);
  });

test('takes the time from its own address where the service leads nowhere', async () => {
  const tools = toolsOf({ servers: { [SERVICE]: LATE, [DIRECT]: WELL } });
  assert.equal(await verdictOf(clockProbe(tools, places(), TIMES)), 'yes InStep');
  const silent = toolsOf({ servers: { [SERVICE]: LATE } });
  assert.equal(await verdictOf(clockProbe(silent, places(), TIMES)), 'unknown NoTime');
});
