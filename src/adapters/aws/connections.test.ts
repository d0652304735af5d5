import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AWS_SERVICES, type AwsService } from '../../ports/aws-api.ts';
import {
  allPages,
  DESCRIBE,
  ec2Error,
  failureOf,
  instances,
  inTurn,
  KEYS,
  openAt,
  serve,
} from './testing.ts';

const FILES = { AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' };

test('the proxy of the environment is used, and NO_PROXY heeded', async (t) => {
  const asked: string[] = [];
  const answer = inTurn(instances('i-1'));
  const proxy = await serve(t, (request, response, count) => {
    asked.push(request.url ?? '');
    answer(request, response, count);
  });
  const direct = await serve(t, answer);
  const env = { ...KEYS, ...FILES, http_proxy: proxy, no_proxy: '127.0.0.1' };
  const behind = { ...env, AWS_ENDPOINT_URL: 'http://ec2.example.invalid' };
  await allPages(openAt('', { env: behind }));
  await allPages(openAt('', { env: { ...env, AWS_ENDPOINT_URL: direct } }));
  assert.deepEqual(asked, ['http://ec2.example.invalid/']);
});

test('the endpoint of one service goes before that of all', async (t) => {
  const own = await serve(t, inTurn(instances('i-own')));
  const all = await serve(t, inTurn(instances('i-all')));
  const env = { ...KEYS, ...FILES, AWS_ENDPOINT_URL: all, AWS_ENDPOINT_URL_EC2: own };
  const pages = await allPages(openAt('', { env }));
  assert.match(JSON.stringify(pages), /i-own/);
});

test('names an endpoint that is not an address', async () => {
  const env = { ...KEYS, ...FILES, AWS_ENDPOINT_URL: 'localhost' };
  const failure = await failureOf(openAt('', { env }));
  assert.equal(failure.failure, 'not-configured');
  assert.match(failure.message, /^AWS_ENDPOINT_URL is not an http address/);
});

test('certificates that cannot be read are named', async () => {
  const env = { ...KEYS, ...FILES, AWS_CA_BUNDLE: '/nowhere/ca.pem' };
  const failure = await failureOf(openAt('', { env }));
  assert.equal(failure.failure, 'not-configured');
  assert.match(failure.message, /^The certificates at \/nowhere\/ca\.pem cannot be read/);
});

test('in a region that must be enabled unknown keys may mean that it is not', async (t) => {
  const url = await serve(t, inTurn(ec2Error(401, 'AuthFailure')));
  const failure = await failureOf(openAt(url, { region: 'eu-central-2' }));
  assert.equal(failure.failure, 'unauthenticated');
  assert.match(failure.message, /aws account get-region-opt-status --region-name eu-central-2/);
});

test('connections are kept for further calls until they are closed', async (t) => {
  const ports = new Set<number | undefined>();
  const answer = inTurn(instances('i-1'));
  const url = await serve(t, (request, response, count) => {
    ports.add(request.socket.remotePort);
    answer(request, response, count);
  });
  const aws = openAt(url);
  await allPages(aws);
  await allPages(aws);
  assert.equal(ports.size, 1);
  aws.close();
});

test('connections that are open are ended when all is done', async (t) => {
  let ended = 0;
  const answer = inTurn(instances('i-1'));
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (request, response, count) => {
    request.socket.once('close', () => {
      ended += 1;
      closed.resolve();
    });
    answer(request, response, count);
  });
  const aws = openAt(url);
  await allPages(aws);
  assert.equal(ended, 0);
  aws.close();
  await closed.promise;
});

test('a request that the caller cuts off is ended on the wire', async (t) => {
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const url = await serve(t, (_request, response) => {
    response.once('close', () => {
      closed.resolve();
    });
    asked.resolve();
  });
  const abort = new AbortController();
  const pages = allPages(openAt(url), DESCRIBE, abort.signal);
  await asked.promise;
  abort.abort(new Error('enough'));
  await assert.rejects(pages, /enough/);
  await closed.promise;
});

/** As the SDKs name services in their variables, each with a call that needs no input. */
const NAMES: Readonly<Record<AwsService, readonly [name: string, operation: string]>> = {
  ec2: ['EC2', 'DescribeVpcs'],
  autoscaling: ['AUTO_SCALING', 'DescribeAutoScalingGroups'],
  eks: ['EKS', 'ListClusters'],
  iam: ['IAM', 'ListOpenIDConnectProviders'],
  sts: ['STS', 'GetCallerIdentity'],
  cloudformation: ['CLOUDFORMATION', 'ListStacks'],
  kms: ['KMS', 'DescribeKey'],
  route53: ['ROUTE_53', 'ListHostedZonesByVPC'],
  ecr: ['ECR', 'GetAuthorizationToken'],
  cloudtrail: ['CLOUDTRAIL', 'LookupEvents'],
  ssm: ['SSM', 'DescribeInstanceInformation'],
  logs: ['CLOUDWATCH_LOGS', 'FilterLogEvents'],
};

for (const service of AWS_SERVICES) {
  test(`${service} is asked at the endpoint that carries its name in the environment`, async (t) => {
    let asked = 0;
    const url = await serve(t, (_request, response) => {
      asked += 1;
      response.writeHead(403).end();
    });
    const [name, operation] = NAMES[service];
    const env = { ...KEYS, ...FILES, [`AWS_ENDPOINT_URL_${name}`]: url };
    await failureOf(openAt(url, { env, maxAttempts: 1 }), { service, operation, input: {} });
    assert.equal(asked, 1);
  });
}
