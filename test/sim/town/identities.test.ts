/** What a user of a lab can do with the service accounts of a cluster of EKS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { loadScenario } from '../../../src/apps/lab/load.ts';
import { ADMIN, buildTown, type Town } from '../../../src/sim/town/town.ts';
import { STS_AUDIENCE, webTrust } from '../aws/identities.ts';

function town(podIdentity: 'irsa' | 'none'): Town {
  const { world } = loadScenario('never-let-in');
  const cluster = { ...world.cluster, podIdentity };
  return buildTown({ setting: { ...world, cluster, groups: [] }, seed: 1 });
}

function tokenOf({ api }: Town): string {
  const path = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'kube-system' };
  const { object } = api.answer({
    user: ADMIN,
    verb: 'create',
    path: { ...path, name: 'aws-node', subresource: 'token' },
    query: {},
    body: { spec: { audiences: [STS_AUDIENCE] } },
    patchType: null,
  });
  return textAt(object, 'status.token') ?? '';
}

function taken({ cloud }: Town, RoleArn: string, WebIdentityToken: string): string {
  const input = { RoleArn, RoleSessionName: 'by-hand', WebIdentityToken };
  const call = { service: 'sts', operation: 'AssumeRoleWithWebIdentity', input } as const;
  const answer = cloud.answer({ arn: '', accessKeyId: '' }, call);
  return answer.ok ? (textAt(answer.output, 'AssumedRoleUser.Arn') ?? '') : answer.refusal.code;
}

test('with IRSA a token of the cluster is good for a role that trusts its account', () => {
  const one = town('irsa');
  const { levers } = one.cloud;
  const [provider = ''] = levers.account.plain['oidc-provider'].ids();
  const issuer = `https://${provider.replace(/^.*:oidc-provider\//, '')}`;
  const trust = webTrust({ issuer, provider }, 'kube-system:aws-node');
  const role = levers.createRole({ name: 'cni', trust });
  const other = levers.createRole({ name: 'shop', trust: webTrust({ issuer, provider }) });
  assert.match(taken(one, role, tokenOf(one)), /:assumed-role\/cni\/by-hand$/);
  assert.equal(taken(one, other, tokenOf(one)), 'AccessDenied');
});

test('without it IAM does not know who signs', () => {
  const one = town('none');
  const role = one.cloud.levers.createRole({ name: 'cni' });
  assert.equal(taken(one, role, tokenOf(one)), 'InvalidIdentityToken');
});
