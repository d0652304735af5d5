import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwsCall } from '../../ports/aws-api.ts';
import { type AwsOptions, type OpenedAws, openAws } from './open.ts';
import { allPages, failureOf, KEYS, serve, testClock } from './testing.ts';

const WHO_AM_I: AwsCall = { service: 'sts', operation: 'GetCallerIdentity', input: {} };
const CLUSTERS: AwsCall = { service: 'eks', operation: 'ListClusters', input: {} };

/** AWS, IMDS and the endpoint of containers in one; remembers whose keys signed what. */
interface Cloud {
  readonly url: string;
  readonly signers: readonly string[];
  readonly asked: readonly string[];
}

async function cloud(t: TestContext, imds: 'answers' | 'hangs' = 'answers'): Promise<Cloud> {
  const signers: string[] = [];
  const asked: string[] = [];
  const url = await serve(t, (request, response) => {
    const chunks: string[] = [];
    request.on('data', (chunk) => chunks.push(String(chunk)));
    request.on('end', () => {
      const what = whatOf(request, chunks.join(''));
      asked.push(what);
      signers.push(signerOf(request));
      if (what === 'PUT /latest/api/token' && imds === 'hangs') return;
      response.end(ANSWERS[what] ?? '');
    });
  });
  return { url, signers, asked };
}

function whatOf({ method, url }: IncomingMessage, body: string): string {
  return new URLSearchParams(body).get('Action') ?? `${method} ${url}`;
}

function signerOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? 'nobody';
}

function assumed(call: string, id: string): string {
  const keys =
    `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>` +
    '<SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></Credentials>';
  return `<${call}Response><${call}Result>${keys}</${call}Result></${call}Response>`;
}

const IDENTITY =
  '<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:sts::1:x</Arn>' +
  '</GetCallerIdentityResult></GetCallerIdentityResponse>';

function temporary(id: string): string {
  const times = { Expiration: '2999-01-01T00:00:00Z', LastUpdated: '2026-01-01T00:00:00Z' };
  return JSON.stringify({ AccessKeyId: id, SecretAccessKey: 's', Token: 't', ...times });
}

const ANSWERS: Readonly<Record<string, string>> = {
  GetCallerIdentity: IDENTITY,
  AssumeRole: assumed('AssumeRole', 'AKIDROLE'),
  AssumeRoleWithWebIdentity: assumed('AssumeRoleWithWebIdentity', 'AKIDWEB'),
  'GET /clusters?maxResults=100': '{"clusters":[]}',
  'PUT /latest/api/token': 'token',
  'GET /latest/meta-data/iam/security-credentials/': 'node-role',
  'GET /latest/meta-data/iam/security-credentials/node-role': temporary('AKIDIMDS'),
  'GET /container': temporary('AKIDPOD'),
};

/** What the chain of the SDK reads from the environment of the program itself. */
function setProgramEnvironment(t: TestContext, values: Readonly<Record<string, string>>): void {
  const all = { AWS_EC2_METADATA_DISABLED: 'true', ...values };
  const before = Object.keys(all).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, all);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
}

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-aws-'));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

interface Setting extends Partial<AwsOptions> {
  readonly config?: string;
  readonly keys?: string;
}

/** Opened at a cloud, with the given configuration files and nothing else. */
function openWith(t: TestContext, { url }: Cloud, setting: Setting = {}): OpenedAws {
  const { config = '', keys = '', env = {}, ...options } = setting;
  const folder = folderOf(t);
  writeFileSync(join(folder, 'config'), config);
  writeFileSync(join(folder, 'credentials'), keys);
  const files = {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
  };
  return openAws({
    region: 'eu-west-1',
    profile: null,
    clock: testClock(),
    random: { next: () => 0.5 },
    env: { ...files, AWS_ENDPOINT_URL: url, ...env },
    ...options,
  });
}

const KEYS_FILE = '[team]\naws_access_key_id = AKIDTEAM\naws_secret_access_key = s\n';

test('keys in the environment sign, also beside AWS_PROFILE', async (t) => {
  const aws = await cloud(t);
  await allPages(openWith(t, aws, { env: { ...KEYS, AWS_PROFILE: 'team' } }), WHO_AM_I);
  assert.deepEqual(aws.signers, ['AKIDTEST']);
});

test('a profile that was named goes before keys in the environment', async (t) => {
  const aws = await cloud(t);
  const opened = openWith(t, aws, { env: KEYS, profile: 'team', keys: KEYS_FILE });
  await allPages(opened, WHO_AM_I);
  assert.deepEqual(aws.signers, ['AKIDTEAM']);
});

test('a profile gives the region where nothing else does', async (t) => {
  const aws = await cloud(t);
  const config = '[profile team]\nregion = cn-north-1\n[profile other]\nregion = eu-west-3\n';
  const opened = openWith(t, aws, { region: null, profile: 'team', config });
  assert.equal(opened.region, 'cn-north-1');
  assert.equal(opened.partition, 'aws-cn');
});

test('AWS_REGION goes before AWS_DEFAULT_REGION and the profile', async (t) => {
  const aws = await cloud(t);
  const env = { AWS_REGION: 'us-gov-west-1', AWS_DEFAULT_REGION: 'us-east-1' };
  const config = '[default]\nregion = eu-west-3\n';
  const opened = openWith(t, aws, { region: null, env, config });
  assert.equal(opened.region, 'us-gov-west-1');
  assert.equal(opened.partition, 'aws-us-gov');
});

test('without a region only the services that are the same everywhere are asked', async (t) => {
  const aws = await cloud(t);
  const opened = openWith(t, aws, { region: null, env: KEYS });
  assert.equal(opened.region, null);
  const failure = await failureOf(opened, CLUSTERS);
  assert.equal(failure.failure, 'not-configured');
  assert.match(failure.message, /^AWS needs a region; use --region/);
  await allPages(opened, WHO_AM_I);
  assert.deepEqual(aws.asked, ['GetCallerIdentity']);
});

test('keeps an invalid region out of host names', async (t) => {
  const aws = await cloud(t);
  assert.throws(() => openWith(t, aws, { region: 'x.evil.example/', env: KEYS }), {
    failure: 'not-configured',
  });
});

test('a profile that is in no file is named before anything is sent', async (t) => {
  setProgramEnvironment(t, {});
  const aws = await cloud(t);
  const failure = await failureOf(openWith(t, aws, { profile: 'gone' }), WHO_AM_I);
  assert.equal(failure.failure, 'not-configured');
  assert.match(failure.message, /^Profile gone is in neither AWS configuration file/);
  assert.deepEqual(aws.asked, []);
});

test('says how to get credentials when there are none', async (t) => {
  setProgramEnvironment(t, {});
  const aws = await cloud(t);
  const failure = await failureOf(openWith(t, aws), WHO_AM_I);
  assert.equal(failure.failure, 'not-configured');
  assert.match(failure.message, /^No AWS credentials were found; set AWS_PROFILE/);
});

test('an SSO session without a login names the command to log in', async (t) => {
  setProgramEnvironment(t, { HOME: folderOf(t) });
  const config = [
    '[profile sso]',
    'sso_session = work',
    'sso_account_id = 123456789012',
    'sso_role_name = reader',
    '[sso-session work]',
    'sso_region = eu-west-1',
    'sso_start_url = https://work.awsapps.com/start',
  ].join('\n');
  const failure = await failureOf(
    openWith(t, await cloud(t), { profile: 'sso', config }),
    WHO_AM_I,
  );
  assert.equal(failure.failure, 'unauthenticated');
  assert.match(failure.message, /log in with `aws sso login --profile sso`/);
});

test('a role is assumed with its source profile', async (t) => {
  const aws = await cloud(t);
  setProgramEnvironment(t, { AWS_ENDPOINT_URL: aws.url });
  const config = '[profile role]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = team\n';
  await allPages(openWith(t, aws, { profile: 'role', config, keys: KEYS_FILE }), WHO_AM_I);
  assert.deepEqual(aws.asked, ['AssumeRole', 'GetCallerIdentity']);
  assert.deepEqual(aws.signers, ['AKIDTEAM', 'AKIDROLE']);
});

test('a role that wants a one-time code says how to enter it', async (t) => {
  setProgramEnvironment(t, {});
  const role = 'role_arn = arn:aws:iam::1:role/x\nsource_profile = team\nmfa_serial = arn:x\n';
  const setting = { profile: 'role', config: `[profile role]\n${role}`, keys: KEYS_FILE };
  const failure = await failureOf(openWith(t, await cloud(t), setting), WHO_AM_I);
  assert.equal(failure.failure, 'unauthenticated');
  assert.match(failure.message, /aws configure export-credentials --profile role/);
});

test('a web identity is exchanged for a role', async (t) => {
  const aws = await cloud(t);
  const file = join(folderOf(t), 'token');
  writeFileSync(file, 'a.b.c');
  setProgramEnvironment(t, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_ROLE_ARN: 'arn:aws:iam::1:role/pod',
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_REGION: 'eu-west-1',
  });
  await allPages(openWith(t, aws), WHO_AM_I);
  assert.equal(aws.signers.at(-1), 'AKIDWEB');
});

test('a container is asked for its role', async (t) => {
  const aws = await cloud(t);
  setProgramEnvironment(t, { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container` });
  await allPages(openWith(t, aws), WHO_AM_I);
  assert.equal(aws.signers.at(-1), 'AKIDPOD');
});

test('the machine is asked for its role last', async (t) => {
  const aws = await cloud(t);
  setProgramEnvironment(t, {
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url,
  });
  await allPages(openWith(t, aws), WHO_AM_I);
  assert.equal(aws.signers.at(-1), 'AKIDIMDS');
});

test('gives up on a machine that does not answer, once for all services', async (t) => {
  const aws = await cloud(t, 'hangs');
  setProgramEnvironment(t, {
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_V1_DISABLED: 'true',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url,
  });
  const opened = openWith(t, aws);
  assert.equal((await failureOf(opened, WHO_AM_I)).failure, 'not-configured');
  assert.equal((await failureOf(opened, CLUSTERS)).failure, 'not-configured');
  assert.deepEqual(aws.asked, ['PUT /latest/api/token']);
});

/** A profile whose credentials come from a program. */
function programProfile(command: string): Setting {
  return { profile: 'tool', config: `[profile tool]\ncredential_process = ${command}\n` };
}

test('a program gives credentials, once for all services', async (t) => {
  setProgramEnvironment(t, {});
  const aws = await cloud(t);
  const folder = folderOf(t);
  const keys = JSON.stringify({ Version: 1, AccessKeyId: 'AKIDTOOL', SecretAccessKey: 's' });
  writeFileSync(join(folder, 'keys'), keys);
  const command = `sh -c "echo run >> ${folder}/runs; cat ${folder}/keys"`;
  const opened = openWith(t, aws, programProfile(command));
  await Promise.all([allPages(opened, WHO_AM_I), allPages(opened, CLUSTERS)]);
  await allPages(opened, WHO_AM_I);
  assert.deepEqual(aws.signers, ['AKIDTOOL', 'AKIDTOOL', 'AKIDTOOL']);
  assert.equal(readFileSync(join(folder, 'runs'), 'utf8'), 'run\n');
});

test('names a program that prints something else and signs with nothing else', async (t) => {
  const aws = await cloud(t);
  setProgramEnvironment(t, {
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url,
  });
  const failure = await failureOf(openWith(t, aws, programProfile('echo sEcReT')), WHO_AM_I);
  assert.equal(failure.failure, 'unauthenticated');
  assert.match(failure.message, /^The credential_process of profile tool gave no credentials/);
  assert.doesNotMatch(failure.message, /sEcReT/);
  assert.ok(!aws.asked.includes('GetCallerIdentity'));
});

test('gives up on a program that hangs', async (t) => {
  setProgramEnvironment(t, {});
  const folder = folderOf(t);
  const clock = testClock();
  const command = `sh -c "touch ${folder}/begun; while [ -e ${folder}/begun ]; do sleep 0.02; done"`;
  const aws = await cloud(t);
  const failing = failureOf(openWith(t, aws, { ...programProfile(command), clock }), WHO_AM_I);
  while (!existsSync(join(folder, 'begun'))) await sleep(5);
  clock.expire(60_000);
  const failure = await failing;
  assert.equal(failure.failure, 'unauthenticated');
  assert.match(failure.message, /profile tool did not come in time/);
});
