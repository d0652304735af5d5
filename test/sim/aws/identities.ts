/** A cluster whose service accounts take roles on: its API server signs, and AWS knows it. */
import assert from 'node:assert/strict';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import { createApiServer, type KubeApiServer } from '../../../src/sim/kube/server.ts';
import type { SmallAws } from './world.ts';

export const CLUSTER = 'lab';
export const STS_AUDIENCE = 'sts.amazonaws.com';
export const POD_AUDIENCE = 'pods.eks.amazonaws.com';
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface TokenWorld {
  /** With its scheme. */
  readonly issuer: string;
  readonly provider: string;
  readonly api: KubeApiServer;
  /** As `kubectl create token shop --audience AUDIENCE --duration …` gets it. */
  readonly token: (audience: string, seconds?: number) => string;
}

export function tokenWorld({ aws, kernel, roleArn, vpcId, subnetIds }: SmallAws): TokenWorld {
  const { controls } = aws;
  controls.createCluster({ name: CLUSTER, version: '1.34', roleArn, vpcId, subnetIds });
  const cluster = controls.account.plain.cluster.get(CLUSTER) ?? {};
  const issuer = textAt(cluster, 'identity.oidc.issuer') ?? '';
  const provider = controls.createOidcProvider(CLUSTER);
  const api = createApiServer({ kernel, issuer });
  controls.publishIssuer(issuer, (token) => api.hasSigned(token));
  const path = { group: '', version: 'v1', plural: 'serviceaccounts', namespace: 'default' };
  const asked = { user: ADMIN, verb: 'create', query: {}, patchType: null } as const;
  const shop: JsonObject = { metadata: { name: 'shop' } };
  const created = api.answer({
    ...asked,
    path: { ...path, name: null, subresource: null },
    body: shop,
  });
  assert.equal(created.code, 201);
  return {
    issuer,
    provider,
    api,
    token: (audience, expirationSeconds = 3600) => {
      const { object } = api.answer({
        ...asked,
        path: { ...path, name: 'shop', subresource: 'token' },
        body: { spec: { audiences: [audience], expirationSeconds } },
      });
      return textAt(object, 'status.token') ?? '';
    },
  };
}

/** A trust policy as `eksctl create iamserviceaccount` writes it. */
export function webTrust(
  { issuer, provider }: Pick<TokenWorld, 'issuer' | 'provider'>,
  account = 'default:shop',
): JsonObject {
  const url = issuer.replace('https://', '');
  return trust({
    Principal: { Federated: provider },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: {
      StringEquals: {
        [`${url}:sub`]: `system:serviceaccount:${account}`,
        [`${url}:aud`]: STS_AUDIENCE,
      },
    },
  });
}

export function podTrust(
  actions: readonly string[] = ['sts:AssumeRole', 'sts:TagSession'],
): JsonObject {
  return trust({ Principal: { Service: POD_AUDIENCE }, Action: [...actions] });
}

function trust(statement: JsonObject): JsonObject {
  return { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
}
