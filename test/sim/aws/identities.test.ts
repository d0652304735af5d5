/** Roles for pods: tokens of service accounts for keys, by STS and by EKS Auth. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { AwsAnswer, AwsRefusal } from '../../../src/sim/aws/contract.ts';
import {
  CLUSTER,
  POD_AUDIENCE,
  podTrust,
  STS_AUDIENCE,
  type TokenWorld,
  tokenWorld,
  webTrust,
} from './identities.ts';
import { type SmallAws, smallAws } from './world.ts';

const NOBODY = { arn: '', accessKeyId: '' };

interface Scene extends SmallAws, TokenWorld {
  readonly shopRole: string;
  readonly byToken: (token: string, more?: JsonObject) => AwsAnswer;
}

function scene(): Scene {
  const world = smallAws();
  const tokens = tokenWorld(world);
  const shopRole = world.aws.controls.createRole({ name: 'shop', trust: webTrust(tokens) });
  return {
    ...world,
    ...tokens,
    shopRole,
    byToken: (token, more = {}) =>
      world.aws.answer(NOBODY, {
        service: 'sts',
        operation: 'AssumeRoleWithWebIdentity',
        input: {
          RoleArn: shopRole,
          RoleSessionName: 'pod',
          WebIdentityToken: token,
          ...more,
        },
      }),
  };
}

function outputOf(answer: AwsAnswer): JsonObject {
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer.output;
}

function refusalOf(answer: AwsAnswer): AwsRefusal {
  assert.ok(!answer.ok, JSON.stringify(answer));
  return answer.refusal;
}

test('a token that the role trusts is good for keys of the role, for an hour', () => {
  const { aws, byToken, token, provider, pass } = scene();
  const output = outputOf(byToken(token(STS_AUDIENCE)));
  assert.equal(textAt(output, 'SubjectFromWebIdentityToken'), 'system:serviceaccount:default:shop');
  assert.equal(textAt(output, 'Audience'), STS_AUDIENCE);
  assert.equal(textAt(output, 'Provider'), provider);
  const identity = aws.identityOf(textAt(output, 'Credentials.AccessKeyId') ?? '');
  assert.equal(identity?.arn, 'arn:aws:sts::123456789012:assumed-role/shop/pod');
  const who = { service: 'sts', operation: 'GetCallerIdentity', input: {} } as const;
  assert.ok(aws.answer(identity, who).ok);
  pass(3_600_000);
  assert.equal(refusalOf(aws.answer(identity, who)).code, 'ExpiredToken');
});

test('a role that trusts somebody else and a missing role reject in the same words', () => {
  const { aws, byToken, token, issuer, provider, shopRole } = scene();
  const denied = {
    code: 'AccessDenied',
    message: 'Not authorized to perform sts:AssumeRoleWithWebIdentity',
    status: 403,
  };
  assert.deepEqual(refusalOf(byToken(token(STS_AUDIENCE), { RoleArn: `${shopRole}s` })), denied);
  for (const document of [
    webTrust({ issuer, provider }, 'default:cart'),
    webTrust({ issuer, provider: provider.replace(/\w$/, 'x') }),
    webTrust({ issuer: 'https://oidc.eks.us-west-2.amazonaws.com/id/OLD', provider }),
    podTrust(),
  ]) {
    aws.controls.setTrust('shop', document);
    assert.deepEqual(refusalOf(byToken(token(STS_AUDIENCE))), denied);
  }
  const url = issuer.replace('https://', '');
  const likely = JSON.stringify(webTrust({ issuer, provider }, 'default:*'));
  const like = likely.replace('StringEquals', 'ForAnyValue:StringLike');
  aws.controls.setTrust('shop', JSON.parse(like) as JsonObject);
  assert.ok(like.includes(url) && byToken(token(STS_AUDIENCE)).ok);
});

test('reports what is wrong with a token as STS words it', () => {
  const { aws, api, byToken, token, issuer, provider, pass, kernel } = scene();
  const good = token(STS_AUDIENCE, 600);
  const invalid = (message: string): AwsRefusal => ({
    code: 'InvalidIdentityToken',
    message,
    status: 400,
  });
  assert.match(refusalOf(byToken('x.y')).message, /^The ID Token provided is not a valid JWT\./);
  assert.match(refusalOf(byToken(`a.${'b'.repeat(30_000)}.c`)).message, /not a valid JWT/);
  const cut = `${good.slice(0, -3)}abc`;
  assert.ok(!api.hasSigned(cut));
  assert.match(refusalOf(byToken(cut)).message, /^Couldn't retrieve verification key/);
  const other = refusalOf(byToken(token(POD_AUDIENCE)));
  assert.deepEqual(other, invalid('Incorrect token audience'));
  aws.controls.silenceIssuer(issuer, 60_000);
  assert.equal(refusalOf(byToken(good)).code, 'IDPCommunicationError');
  pass(60_000);
  assert.ok(byToken(good).ok);
  pass(600_000);
  const { code, message } = refusalOf(byToken(good));
  assert.equal(code, 'ExpiredTokenException');
  assert.match(message, /^Token expired: current date\/time \d{10} must be before the expiration/);
  aws.controls.account.plain['oidc-provider'].delete(provider, kernel.nowMs());
  const missing = `No OpenIDConnect provider found in your account for ${issuer}`;
  assert.deepEqual(refusalOf(byToken(good)), invalid(missing));
});

test('missing roles can be created by calls, and STS follows at once', () => {
  const { aws, byToken, token, issuer, provider, output, refusal, kernel } = scene();
  aws.controls.account.plain['oidc-provider'].delete(provider, kernel.nowMs());
  const made = { Url: issuer, ClientIDList: [STS_AUDIENCE] };
  assert.deepEqual(output('iam', 'CreateOpenIDConnectProvider', made), {
    OpenIDConnectProviderArn: provider,
  });
  assert.equal(refusal('iam', 'CreateOpenIDConnectProvider', made), 'EntityAlreadyExists');
  output('iam', 'UpdateAssumeRolePolicy', {
    RoleName: 'shop',
    PolicyDocument: JSON.stringify(webTrust({ issuer, provider }, 'default:cart')),
  });
  assert.equal(refusalOf(byToken(token(STS_AUDIENCE))).code, 'AccessDenied');
});

interface PodScene extends Scene {
  /** As the agent of a node with this role asks. */
  readonly forPod: (token: string, nodeRole?: string) => AwsAnswer;
}

function podScene(): PodScene {
  const world = scene();
  const { aws, roleArn, shopRole } = world;
  aws.controls.setTrust('shop', podTrust());
  const association = { cluster: CLUSTER, namespace: 'default', serviceAccount: 'shop' };
  aws.controls.createPodIdentity({ ...association, roleArn: shopRole });
  const forPod = (token: string, nodeRole = roleArn): AwsAnswer => {
    const { accessKeyId } = aws.credentialsOf(nodeRole, 'i-0');
    return aws.answer(aws.identityOf(accessKeyId) ?? NOBODY, {
      service: 'eks',
      operation: 'AssumeRoleForPodIdentity',
      input: { clusterName: CLUSTER, token },
    });
  };
  return { ...world, forPod };
}

test('EKS Auth gives a pod the role of its association, for six hours', () => {
  const { forPod, token, kernel } = podScene();
  const output = outputOf(forPod(token(POD_AUDIENCE)));
  assert.deepEqual(output['subject'], { namespace: 'default', serviceAccount: 'shop' });
  assert.match(
    textAt(output, 'assumedRoleUser.arn') ?? '',
    /^arn:aws:sts::123456789012:assumed-role\/shop\/eks-lab-/,
  );
  const end = Date.parse(textAt(output, 'credentials.expiration') ?? '');
  assert.equal(end - kernel.nowMs(), 6 * 3_600_000);
});

test('EKS Auth refuses strangers, old tokens, accounts without a role and roles without trust', () => {
  const { forPod, token, aws, pass, kernel } = podScene();
  const { controls } = aws;
  const code = (answer: AwsAnswer): string => refusalOf(answer).code;
  assert.equal(code(forPod(token(STS_AUDIENCE))), 'InvalidTokenException');
  assert.equal(code(forPod('no.token.here')), 'InvalidTokenException');
  const stranger = controls.createRole({ name: 'stranger' });
  const denied = refusalOf(forPod(token(POD_AUDIENCE), stranger));
  assert.equal(denied.code, 'AccessDeniedException');
  assert.match(denied.message, /is not authorized to perform: eks-auth:AssumeRoleForPodIdentity/);
  controls.setTrust('shop', podTrust(['sts:AssumeRole']));
  const distrusted = refusalOf(forPod(token(POD_AUDIENCE)));
  assert.match(distrusted.message, /EKS does not have permissions to assume the associated role/);
  const [id = ''] = controls.account.plain['pod-identity'].ids();
  controls.account.plain['pod-identity'].delete(id, kernel.nowMs());
  assert.equal(code(forPod(token(POD_AUDIENCE))), 'ResourceNotFoundException');
  const old = token(POD_AUDIENCE, 600);
  pass(600_000);
  assert.match(refusalOf(forPod(old)).message, /^The token included in the request is expired: /);
});

test('the API server rejects a token for AWS', () => {
  const { api, token, issuer } = scene();
  const who = (bearerToken: string): string | null =>
    api.authenticate({ bearerToken, certificate: null })?.name ?? null;
  assert.equal(who(token(STS_AUDIENCE)), null);
  assert.equal(who(token(issuer)), 'system:serviceaccount:default:shop');
});
