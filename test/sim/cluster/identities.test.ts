/** What a user of a lab can do with the service accounts of a cluster of EKS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textAt } from '../../../src/evidence/json.ts';
import { loadScenario } from '../../../src/apps/lab/load.ts';
import {
  ADMIN,
  buildCluster,
  type SimulatedCluster,
} from '../../../src/sim/cluster/simulated-cluster.ts';
import { STS_AUDIENCE, webTrust } from '../aws/identities.ts';

function simulated(podIdentity: 'irsa' | 'none'): SimulatedCluster {
  const { world } = loadScenario('never-let-in');
  const cluster = { ...world.cluster, podIdentity };
  return buildCluster({ setting: { ...world, cluster, groups: [] }, seed: 1 });
}

function tokenOf({ api }: SimulatedCluster): string {
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

function taken({ cloud }: SimulatedCluster, RoleArn: string, WebIdentityToken: string): string {
  const input = { RoleArn, RoleSessionName: 'by-hand', WebIdentityToken };
  const call = { service: 'sts', operation: 'AssumeRoleWithWebIdentity', input } as const;
  const answer = cloud.answer({ arn: '', accessKeyId: '' }, call);
  return answer.ok ? (textAt(answer.output, 'AssumedRoleUser.Arn') ?? '') : answer.refusal.code;
}

test('with IRSA a token of the cluster is good for a role that trusts its account', () => {
  const one = simulated('irsa');
  const { controls } = one.cloud;
  const [provider = ''] = controls.account.plain['oidc-provider'].ids();
  const issuer = `https://${provider.replace(/^.*:oidc-provider\//, '')}`;
  const trust = webTrust({ issuer, provider }, 'kube-system:aws-node');
  const role = controls.createRole({ name: 'cni', trust });
  const other = controls.createRole({ name: 'shop', trust: webTrust({ issuer, provider }) });
  assert.match(taken(one, role, tokenOf(one)), /:assumed-role\/cni\/by-hand$/);
  assert.equal(taken(one, other, tokenOf(one)), 'AccessDenied');
});

test('without it IAM does not know who signs', () => {
  const one = simulated('none');
  const role = one.cloud.controls.createRole({ name: 'cni' });
  assert.equal(taken(one, role, tokenOf(one)), 'InvalidIdentityToken');
});
