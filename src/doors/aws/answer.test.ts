import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../evidence/json.ts';
import type { AwsAnswer } from '../../sim/aws/contract.ts';
import { answerRequest } from './answer.ts';
import type { Reply } from './errors.ts';
import {
  cloudWith,
  KEY_ID,
  NOW_MS,
  SESSION_KEY_ID,
  SESSION_TOKEN,
  signedRequest,
  type Unsigned,
  unsignedRequest,
} from './testing.ts';

const OK: AwsAnswer = { ok: true, output: {} };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function ask(from: Unsigned, answer: AwsAnswer = OK): Promise<Reply> {
  return answerRequest(cloudWith(answer).site, await signedRequest(from));
}

/** What the cloud is asked for by a request. */
async function callOf(from: Unsigned): Promise<JsonObject | null> {
  const { site, asked } = cloudWith(OK);
  await answerRequest(site, await signedRequest(from));
  const [first] = asked;
  return first === undefined ? null : { ...first.call };
}

function query(service: string, action: string, more = ''): Unsigned {
  return { service, headers: FORM, body: `Action=${action}&Version=x${more}` };
}

const WHO = query('sts', 'GetCallerIdentity');
const PATH = '/clusters/lab/assume-role-for-pod-identity';
const AGENT: Unsigned = { service: 'eks-auth', path: PATH, body: '{"token":"t"}' };
const KEYS: Unsigned = {
  service: 'kms',
  headers: { 'x-amz-target': 'TrentService.DescribeKey' },
  body: '{"KeyId":"k"}',
};
const ZONES: Unsigned = { service: 'route53', method: 'GET', path: '/2013-04-01/hostedzone' };
const TAGS = query('ec2', 'DescribeTags');

/** What a refusal says: its status, its code and its message. */
function refusal({ status, headers, body }: Reply): readonly unknown[] {
  const code = headers['x-amzn-errortype'] ?? /<Code>([^<]*)/.exec(body)?.[1];
  const message = /<Message>([^<]*)|"message":"([^"]*)/.exec(body);
  return [status, code, message?.[1] ?? message?.[2]];
}

describe('who asks', () => {
  test('is the holder of the key', async () => {
    for (const [keyId, headers] of [
      [KEY_ID, {}],
      [SESSION_KEY_ID, { 'x-amz-security-token': SESSION_TOKEN }],
    ] as const) {
      const { site, asked } = cloudWith(OK);
      await answerRequest(site, await signedRequest({ ...AGENT, keyId, headers }));
      assert.deepEqual(asked[0]?.identity, {
        arn: 'arn:aws:iam::111122223333:user/ann',
        accessKeyId: keyId,
      });
    }
  });

  test('is nobody with a web identity, whose token says who it is', async () => {
    const { site, asked } = cloudWith(OK);
    const body = 'Action=AssumeRoleWithWebIdentity&RoleArn=r';
    await answerRequest(site, unsignedRequest({ body }));
    await answerRequest(
      site,
      unsignedRequest({ method: 'GET', query: { Action: 'AssumeRoleWithWebIdentity' } }),
    );
    assert.deepEqual(
      asked.map(({ identity, call }) => [identity, call.service, call.operation]),
      Array.from({ length: 2 }, () => [
        { arn: '', accessKeyId: '' },
        'sts',
        'AssumeRoleWithWebIdentity',
      ]),
    );
    assert.deepEqual(asked[0]?.call.input, { RoleArn: 'r' });
  });

  test('must sign everything else, and whole', async () => {
    const { site, asked } = cloudWith(OK);
    const missing = [403, 'MissingAuthenticationToken', 'Request is missing Authentication Token'];
    const body = 'Action=GetCallerIdentity';
    assert.deepEqual(refusal(await answerRequest(site, unsignedRequest({ body }))), missing);
    const other = { method: 'GET', body: 'Action=AssumeRoleWithWebIdentity' };
    assert.deepEqual(refusal(await answerRequest(site, unsignedRequest(other))), missing);
    const headers = { authorization: 'Basic eDp5' };
    const web = { headers, body: 'Action=AssumeRoleWithWebIdentity' };
    assert.deepEqual(refusal(await answerRequest(site, unsignedRequest(web))), [
      400,
      'IncompleteSignature',
      'Authorization header requires the parts of an AWS4-HMAC-SHA256 signature.',
    ]);
    assert.deepEqual(asked, []);
  });

  test('hears which service is not part of the world', async () => {
    assert.deepEqual(refusal(await ask({ ...WHO, service: 's3' })), [
      404,
      'UnknownService',
      'The service s3 is not part of this world.',
    ]);
  });
});

describe('a signature', () => {
  const INVALID = 'The security token included in the request is invalid.';
  const EC2 = 'AWS was not able to validate the provided access credentials';
  const LATE = 'Signature expired: the time of the request is too far from that of the service';
  const wrong = async (change: Partial<Unsigned>): Promise<readonly (readonly unknown[])[]> =>
    Promise.all(
      [TAGS, WHO, AGENT, KEYS].map(async (one) => refusal(await ask({ ...one, ...change }))),
    );

  test('of an unknown key is refused in the words of each protocol', async () => {
    assert.deepEqual(await wrong({ keyId: 'AKIABBBBBBBBBBBBBBBB' }), [
      [401, 'AuthFailure', EC2],
      [403, 'InvalidClientTokenId', INVALID],
      [403, 'UnrecognizedClientException', INVALID],
      [400, 'UnrecognizedClientException', INVALID],
    ]);
  });

  test('with another secret does not match', async () => {
    const told = await wrong({ secret: 'another' });
    assert.deepEqual(
      told.map(([status, code]) => [status, code]),
      [
        [401, 'AuthFailure'],
        [403, 'SignatureDoesNotMatch'],
        [403, 'InvalidSignatureException'],
        [400, 'InvalidSignatureException'],
      ],
    );
    assert.match(String(told[1]?.[2]), /^The request signature we calculated does not match/);
    assert.deepEqual(told[0]?.[2], EC2);
  });

  test('of another time has expired', async () => {
    assert.deepEqual(await wrong({ atMs: NOW_MS - 301_000 }), [
      [400, 'RequestExpired', 'Request has expired.'],
      [403, 'SignatureDoesNotMatch', LATE],
      [403, 'InvalidSignatureException', LATE],
      [400, 'InvalidSignatureException', LATE],
    ]);
  });

  test('needs the token of its session, and no other', async () => {
    const [, code] = refusal(await ask({ ...WHO, keyId: SESSION_KEY_ID }));
    assert.equal(code, 'InvalidClientTokenId');
    const headers = { ...FORM, 'x-amz-security-token': 'x' };
    assert.equal(refusal(await ask({ ...WHO, headers }))[1], 'InvalidClientTokenId');
  });

  test('is for the region of the world, except of what belongs to all regions', async () => {
    const region = 'eu-west-1';
    for (const global of [WHO, ZONES, query('iam', 'ListUsers')])
      assert.equal((await ask({ ...global, region })).status, 200);
    const message =
      "Credential should be scoped to a valid region, not 'eu-west-1'; this world is in us-west-2.";
    assert.deepEqual(refusal(await ask({ ...AGENT, region })), [
      403,
      'InvalidSignatureException',
      message,
    ]);
  });
});

describe('what is asked', () => {
  test('is found in parameters', async () => {
    assert.deepEqual(await callOf(query('ec2', 'DescribeTags', '&MaxResults=5')), {
      service: 'ec2',
      operation: 'DescribeTags',
      input: { MaxResults: 5 },
    });
    const url: Unsigned = {
      service: 'sts',
      method: 'GET',
      query: { Action: 'GetCallerIdentity' },
    };
    assert.equal((await callOf(url))?.['operation'], 'GetCallerIdentity');
  });

  test('is found in the target, with times as texts', async () => {
    assert.deepEqual(await callOf(KEYS), {
      service: 'kms',
      operation: 'DescribeKey',
      input: { KeyId: 'k' },
    });
    const trail = 'com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101';
    for (const prefix of [trail, 'CloudTrail_20131101']) {
      const headers = { 'x-amz-target': `${prefix}.LookupEvents` };
      const body = '{"StartTime":1.5,"EndTime":"x","MaxResults":7}';
      assert.deepEqual(await callOf({ service: 'cloudtrail', headers, body }), {
        service: 'cloudtrail',
        operation: 'LookupEvents',
        input: { StartTime: '1970-01-01T00:00:01.500Z', EndTime: 'x', MaxResults: 7 },
      });
    }
  });

  test('is found in the path', async () => {
    assert.deepEqual(await callOf(AGENT), {
      service: 'eks',
      operation: 'AssumeRoleForPodIdentity',
      input: { token: 't', clusterName: 'lab' },
    });
  });
});

describe('a question', () => {
  test('is refused where there is no such operation', async () => {
    assert.deepEqual(refusal(await ask(query('sts', 'x'.repeat(120)))), [
      400,
      'InvalidAction',
      `The action ${'x'.repeat(100)} is not valid for this web service.`,
    ]);
    const none = { service: 'sts', body: '' };
    assert.equal(refusal(await ask(none))[2], 'The action  is not valid for this web service.');
    for (const target of ['Other.DescribeKey', 'TrentService.None', 'TrentService.', '']) {
      const headers = { 'x-amz-target': target };
      const [status, code] = refusal(await ask({ ...KEYS, headers }));
      assert.deepEqual([status, code], [400, 'UnknownOperationException'], target);
    }
    assert.equal((await ask({ service: 'kms', body: '{}' })).status, 400);
    const path = `/${'x'.repeat(250)}`;
    assert.deepEqual(refusal(await ask({ ...AGENT, path })), [
      404,
      'UnknownOperationException',
      `There is no operation POST ${path.slice(0, 200)}.`,
    ]);
  });

  test('is refused where its input cannot be read', async () => {
    const malformed = [400, 'SerializationException', 'The body is no object of JSON.'];
    for (const body of ['[]', '{', 'x']) {
      assert.deepEqual(refusal(await ask({ ...KEYS, body })), malformed, body);
      assert.deepEqual(refusal(await ask({ ...AGENT, body })), malformed, body);
    }
    assert.deepEqual(
      refusal(await ask(query('sts', 'GetCallerIdentity', `&a${'.1'.repeat(20)}=x`))),
      [400, 'MalformedQueryString', 'The query string is too long.'],
    );
  });
});

describe('an answer', () => {
  const xmlOf = async (from: Unsigned, output: JsonObject): Promise<string> => {
    const { status, headers, body } = await ask(from, { ok: true, output });
    assert.deepEqual([status, headers['content-type']], [200, 'text/xml;charset=UTF-8']);
    const id = headers['x-amzn-requestid'] ?? '';
    assert.match(id, /^[0-9a-f-]{36}$/);
    return body.replaceAll(id, 'ID').split('\n')[1] ?? '';
  };

  test('is XML of the service', async () => {
    assert.equal(
      await xmlOf(TAGS, { Tags: [{ Key: 'a' }] }),
      '<DescribeTagsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">' +
        '<requestId>ID</requestId><tagSet><item><key>a</key></item></tagSet></DescribeTagsResponse>',
    );
    assert.equal(
      await xmlOf(WHO, { Account: '111122223333' }),
      '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">' +
        '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>' +
        '<ResponseMetadata><RequestId>ID</RequestId></ResponseMetadata></GetCallerIdentityResponse>',
    );
    assert.equal(
      await xmlOf(ZONES, { IsTruncated: false }),
      '<ListHostedZonesResponse xmlns="https://route53.amazonaws.com/doc/2013-04-01/">' +
        '<IsTruncated>false</IsTruncated></ListHostedZonesResponse>',
    );
  });

  test('is JSON of the service', async () => {
    const subject = { namespace: 'shop', other: 1 };
    const agent = await ask(AGENT, { ok: true, output: { subject } });
    assert.deepEqual(JSON.parse(agent.body), { subject: { namespace: 'shop' } });
    assert.equal(agent.status, 200);
    assert.equal(agent.headers['content-type'], 'application/json');
    assert.match(agent.headers['x-amzn-requestid'] ?? '', /^[0-9a-f-]{36}$/);
    const keys = await ask(KEYS, { ok: true, output: { KeyMetadata: { KeyId: 'k' } } });
    assert.deepEqual(JSON.parse(keys.body), { KeyMetadata: { KeyId: 'k' } });
    assert.deepEqual(
      [keys.status, keys.headers['content-type']],
      [200, 'application/x-amz-json-1.1'],
    );
  });

  test('with a console has it in base64', async () => {
    const console = query('ec2', 'GetConsoleOutput', '&InstanceId=i-1');
    const Output = Buffer.from('für\n').toString('base64');
    assert.match(
      await xmlOf(console, { Output: 'für\n' }),
      new RegExp(`<output>${Output}</output>`),
    );
    assert.match(await xmlOf(console, {}), /<output\/>/);
    const password = query('ec2', 'GetPasswordData', '&InstanceId=i-1');
    assert.match(await xmlOf(password, { InstanceId: 'i-1' }), /<instanceId>i-1<\/instanceId>/);
  });

  test('may be a refusal of the cloud', async () => {
    const refused = { code: 'AccessDenied', message: 'no', status: 403 };
    for (const from of [WHO, AGENT, KEYS])
      assert.deepEqual(refusal(await ask(from, { ok: false, refusal: refused })), [
        403,
        'AccessDenied',
        'no',
      ]);
  });
});
