import assert from 'node:assert/strict';
import { test } from 'node:test';
import { identityProbe, type InjectedIdentity } from '../../src/collection/agent/identity.ts';
import { signedHeaders } from '../../src/collection/agent/sts.ts';
import type { IdentityWay } from '../../src/domain/pods/identity.ts';
import type { NodeProbe } from '../../src/ports/node-probe.ts';
import type { FakeMachine } from '../ports/fake/host.ts';
import { ROLES, stateOf, TIMES, TOKEN, toolsOf, verdictOf } from './scene.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const KEYS = JSON.stringify({
  AccessKeyId: 'ASIAIOSFODNN7EXAMPLE',
  SecretAccessKey: SECRET,
  Token: 'a-session-token',
});
const DOCUMENT = 'http://169.254.169.254/latest/dynamic/instance-identity/document';
const STS = 'POST https://sts.eu-west-1.amazonaws.com/';
const POD_IDENTITY = 'http://169.254.170.23/v1/credentials';
const NOT_INJECTED: InjectedIdentity = {
  region: 'eu-west-1',
  roleArn: null,
  webTokenFile: null,
  credentialsUri: null,
  credentialsTokenFile: null,
};
const IRSA = {
  ...NOT_INJECTED,
  roleArn: 'arn:aws:iam::111122223333:role/canary',
  webTokenFile: '/token',
};
const ASSOCIATED = {
  ...NOT_INJECTED,
  credentialsUri: POD_IDENTITY,
  credentialsTokenFile: '/token',
};
const FILES = { '/token': 'a-web-token' };

function arn(role: string, session = 's'): string {
  return `<R><Arn>arn:aws:sts::111122223333:assumed-role/${role}/${session}</Arn></R>`;
}

interface Canary {
  readonly way: IdentityWay;
  readonly role?: string | null;
  readonly injected?: InjectedIdentity;
}

function probeOf(machine: FakeMachine, canary: Canary): NodeProbe {
  const tools = toolsOf({ files: FILES, ...machine });
  const whole = { role: 'canary', nodeRole: null, injected: NOT_INJECTED, ...canary };
  return identityProbe(tools, stateOf(tools), whole, TIMES);
}

const TOKENS = { [TOKEN]: { body: 'token' } };
const CASES: readonly (readonly [string, Canary, NonNullable<FakeMachine['replies']>, string])[] = [
  [
    'kiam gives the canary its role',
    { way: 'kiam' },
    { ...TOKENS, [ROLES]: { body: 'canary' }, [`${ROLES}canary`]: { body: KEYS } },
    'yes OwnIdentity',
  ],
  [
    "a pod gets the node's role",
    { way: 'kiam' },
    { ...TOKENS, [ROLES]: { body: 'node' }, [`${ROLES}node`]: { body: KEYS } },
    'no NodeIdentity',
  ],
  [
    'a role without credentials',
    { way: 'kiam' },
    { ...TOKENS, [ROLES]: { body: 'canary' }, [`${ROLES}canary`]: { status: 500 } },
    'no NoCredentials',
  ],
  [
    'kiam refuses a pod without a role',
    { way: 'kiam', role: null },
    { ...TOKENS, [ROLES]: { status: 404 }, [DOCUMENT]: { status: 404 } },
    'yes RefusedAsExpected',
  ],
  [
    'instance metadata without a role is no refusal',
    { way: 'kiam', role: null },
    { ...TOKENS, [ROLES]: { status: 404 }, [DOCUMENT]: { body: '{}' } },
    'no NotRedirected',
  ],
  [
    'kube2iam refuses in its own words',
    { way: 'kube2iam', role: null },
    {
      ...TOKENS,
      [ROLES]: { status: 404, body: 'Unable to find role for IP 10.1.0.2' },
      [DOCUMENT]: { body: '{}' },
    },
    'yes RefusedAsExpected',
  ],
  ['silence', { way: 'kiam' }, {}, 'no NoAnswer'],
  [
    'a token of a service account gives its role',
    { way: 'irsa', injected: IRSA },
    { [STS]: { body: arn('canary', 'rollcall-agent') } },
    'yes OwnIdentity',
  ],
  [
    'STS refuses the role',
    { way: 'irsa', injected: IRSA },
    { [STS]: { status: 403, body: '<Code>AccessDenied</Code>' } },
    'no Refused',
  ],
  [
    'STS does not know the issuer',
    { way: 'irsa', injected: IRSA },
    { [STS]: { status: 400, body: '<Code>InvalidIdentityToken</Code>' } },
    'no StsError',
  ],
  ['a pod that the webhook missed', { way: 'irsa' }, {}, 'no NotInjected'],
  [
    'Pod Identity gives the canary its role',
    { way: 'pod-identity', injected: ASSOCIATED },
    { [POD_IDENTITY]: { body: KEYS }, [STS]: { body: arn('canary', 'eks-shop-agent-1') } },
    'yes OwnIdentity',
  ],
  [
    "Pod Identity's keys are the instance's",
    { way: 'pod-identity', injected: ASSOCIATED },
    { [POD_IDENTITY]: { body: KEYS }, [STS]: { body: arn('canary', 'i-0123456789abcdef0') } },
    'no NodeIdentity',
  ],
  [
    'Pod Identity knows no association',
    { way: 'pod-identity', role: null, injected: ASSOCIATED },
    {
      [POD_IDENTITY]: {
        status: 404,
        body: 'ResourceNotFoundException: no association for a-web-token',
      },
    },
    'yes RefusedAsExpected',
  ],
  [
    'the Pod Identity agent fails',
    { way: 'pod-identity', injected: ASSOCIATED },
    { [POD_IDENTITY]: { status: 500, body: 'x' } },
    'no AgentError',
  ],
];

for (const [what, canary, replies, verdict] of CASES)
  test(`${what}: ${verdict}`, async () => {
    assert.equal(await verdictOf(probeOf({ replies }, canary)), verdict);
  });

test('shows no credentials, whatever happens', async () => {
  for (const [, canary, replies] of CASES) {
    const { message } = await probeOf({ replies }, canary).look(new AbortController().signal);
    assert.doesNotMatch(message, /wJalr|ASIA|a-session-token|a-web-token/);
  }
});

test('signs as version 4 of the signature says', () => {
  const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: SECRET, sessionToken: 't' };
  const body = 'Action=GetCallerIdentity&Version=2011-06-15';
  const request = { host: 'sts.eu-west-1.amazonaws.com', body, region: 'eu-west-1' };
  const headers = signedHeaders(request, keys, Date.parse('2026-01-01T00:00:00Z'));
  assert.equal(headers['x-amz-date'], '20260101T000000Z');
  assert.match(
    headers['authorization'] ?? '',
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20260101\/eu-west-1\/sts\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[\da-f]{64}$/,
  );
});
