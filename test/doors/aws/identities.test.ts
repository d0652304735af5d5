/** Pods and people taking roles on over the wire: the SDK, the command line, and moto beside them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { STS } from '@aws-sdk/client-sts';
import { type Moto, startMoto } from '../../real/moto.ts';
import { missing, partPath } from '../../real/parts.ts';
import {
  CLUSTER,
  POD_AUDIENCE,
  podTrust,
  STS_AUDIENCE,
  type TokenWorld,
  tokenWorld,
  webTrust,
} from '../../sim/aws/identities.ts';
import { START_MS } from '../../sim/aws/world.ts';
import { type AwsSiteUnderTest, awsSite } from './site.ts';

const skip = missing('moto');
const run = promisify(execFile);

interface Site extends AwsSiteUnderTest, TokenWorld {
  readonly shopRole: string;
}

/** The world is brought to the present, as clients look at the time when credentials end. */
async function site(t: TestContext): Promise<Site> {
  const made = await awsSite(t, { isThrottled: false });
  made.pass(Date.now() - START_MS);
  const tokens = tokenWorld(made);
  const shopRole = made.aws.controls.createRole({ name: 'shop', trust: webTrust(tokens) });
  return { ...made, ...tokens, shopRole };
}

function fileWith(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-token-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'token');
  writeFileSync(path, text);
  return path;
}

/** What the chain of the SDK reads from the environment of the program itself. */
function setEnvironment(t: TestContext, values: Readonly<Record<string, string>>): void {
  const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', ...Object.keys(values)];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  Object.assign(process.env, values);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

const NO_FILES = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

function podVariables(t: TestContext, { shopRole }: Site, token: string): Record<string, string> {
  return {
    ...NO_FILES,
    AWS_ROLE_ARN: shopRole,
    AWS_WEB_IDENTITY_TOKEN_FILE: fileWith(t, token),
    AWS_ROLE_SESSION_NAME: 'pod',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

test('the SDK in a pod takes its role on by the variables that the webhook gives it', async (t) => {
  const world = await site(t);
  const { door, token } = world;
  const variables = podVariables(t, world, token(STS_AUDIENCE));
  setEnvironment(t, { ...variables, AWS_ENDPOINT_URL: door.url, AWS_REGION: 'us-west-2' });
  const sts = new STS({ maxAttempts: 1 });
  t.after(() => {
    sts.destroy();
  });
  const { Arn } = await sts.getCallerIdentity({});
  assert.equal(Arn, 'arn:aws:sts::123456789012:assumed-role/shop/pod');
  assert.equal(world.aws.controls.calls().get('sts:AssumeRoleWithWebIdentity'), 1);
});

test('tells the SDK by name what is wrong with a token', async (t) => {
  const { door, token, issuer, provider, shopRole, aws, pass } = await site(t);
  const sts = new STS({ region: 'us-west-2', endpoint: door.url, maxAttempts: 1 });
  t.after(() => {
    sts.destroy();
  });
  const said = async (WebIdentityToken: string): Promise<string> =>
    sts
      .assumeRoleWithWebIdentity({ RoleArn: shopRole, RoleSessionName: 'pod', WebIdentityToken })
      .then(
        ({ AssumedRoleUser }) => AssumedRoleUser?.Arn ?? '',
        (error: unknown) => `${(error as Error).name}: ${(error as Error).message}`,
      );
  const good = token(STS_AUDIENCE, 600);
  assert.match(await said(good), /assumed-role\/shop\/pod$/);
  aws.controls.silenceIssuer(issuer, 1000);
  assert.match(await said(good), /^IDPCommunicationError/);
  pass(1000);
  assert.match(
    await said(token(POD_AUDIENCE)),
    /^InvalidIdentityToken\w*: Incorrect token audience/,
  );
  aws.controls.setTrust('shop', webTrust({ issuer, provider }, 'default:cart'));
  assert.equal(
    await said(good),
    'AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity',
  );
  pass(600_000);
  assert.match(await said(good), /^ExpiredTokenException: Token expired/);
});

test('nothing else is answered without a signature', async (t) => {
  const { door, aws } = await site(t);
  const before = aws.controls.calls().size;
  for (const Action of ['GetCallerIdentity', 'AssumeRole', 'assumerolewithwebidentity']) {
    const { status } = await fetch(door.url, {
      method: 'POST',
      body: new URLSearchParams({ Action }),
    });
    assert.equal(status, 403, Action);
  }
  assert.equal(aws.controls.calls().size, before);
});

/** `aws …` with the keys of a person, or of a pod. */
async function cli(env: Readonly<Record<string, string>>, words: string): Promise<string> {
  const args = ['-m', 'awscli', ...words.split(' '), '--output', 'json'];
  const { stdout } = await run(partPath('moto'), args, {
    env: { AWS_PAGER: '', PATH: process.env['PATH'] ?? '', ...env },
  });
  return stdout;
}

test('the command line in a pod is who the token says', { skip }, async (t) => {
  const world = await site(t);
  const env = {
    ...podVariables(t, world, world.token(STS_AUDIENCE)),
    AWS_ENDPOINT_URL: world.door.url,
    AWS_DEFAULT_REGION: 'us-west-2',
  };
  assert.match(await cli(env, 'sts get-caller-identity'), /assumed-role\/shop\/pod"/);
});

test('the command line asks EKS Auth as the agent of a node does', { skip }, async (t) => {
  const world = await site(t);
  const { aws, env, shopRole, token } = world;
  aws.controls.setTrust('shop', podTrust());
  const words = `eks-auth assume-role-for-pod-identity --cluster-name ${CLUSTER} --token`;
  const refused = await cli(env, `${words} ${token(POD_AUDIENCE)}`).then(
    () => 'it was answered',
    (error: unknown) => String((error as { readonly stderr?: unknown }).stderr),
  );
  assert.match(refused, /\(ResourceNotFoundException\) when calling the AssumeRoleForPodIdentity/);
  await cli(
    env,
    `eks create-pod-identity-association --cluster-name ${CLUSTER} --namespace default ` +
      `--service-account shop --role-arn ${shopRole}`,
  );
  const given = JSON.parse(await cli(env, `${words} ${token(POD_AUDIENCE)}`)) as {
    readonly credentials: { readonly expiration: number };
    readonly assumedRoleUser: { readonly arn: string };
  };
  assert.match(given.assumedRoleUser.arn, /:assumed-role\/shop\/eks-lab-/);
  const leftMs = given.credentials.expiration * 1000 - world.kernel.nowMs();
  assert.equal(Math.round(leftMs / 60_000), 360);
});

let running: Promise<Moto> | null = null;
after(async () => {
  await (await running)?.stop();
});

/** The shape of an answer, without what is drawn. */
async function assumedShape(url: string, RoleArn: string, token: string): Promise<unknown> {
  const sts = new STS({ region: 'us-west-2', endpoint: url, maxAttempts: 1 });
  const { Credentials, AssumedRoleUser } = await sts
    .assumeRoleWithWebIdentity({ RoleArn, RoleSessionName: 'pod', WebIdentityToken: token })
    .finally(() => {
      sts.destroy();
    });
  assert.match(Credentials?.AccessKeyId ?? '', /^ASIA[A-Z0-9]{16}$/);
  assert.ok((Credentials?.SessionToken ?? '').length > 100);
  assert.match(AssumedRoleUser?.AssumedRoleId ?? '', /^ARO[A-Z0-9]+:pod$/);
  return [AssumedRoleUser?.Arn, Object.keys(Credentials ?? {}).toSorted()];
}

test('moto, which looks at no token, answers in the same shape', { skip }, async (t) => {
  const { door, shopRole, token } = await site(t);
  running ??= startMoto();
  const moto = await running;
  const own = await assumedShape(door.url, shopRole, token(STS_AUDIENCE));
  assert.deepEqual(await assumedShape(moto.url, shopRole, token(STS_AUDIENCE)), own);
});
