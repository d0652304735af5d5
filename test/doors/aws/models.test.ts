/** How shapes are read of the SDK's schemas, and what goes over the wire by them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorReply } from '../../../src/doors/aws/errors.ts';
import { jsonOutput } from '../../../src/doors/aws/json-output.ts';
import { queryInput } from '../../../src/doors/aws/query-input.ts';
import {
  type Member,
  type Operation,
  operationIn,
  operationNames,
  type Shape,
} from '../../../src/doors/aws/schema.ts';
import { formOf } from '../../../src/doors/aws/services.ts';
import { queryXml } from '../../../src/doors/aws/xml-output.ts';
import type { Json } from '../../../src/evidence/json.ts';

/** A structure as the SDK writes it: kind, namespace, name, traits, names, schemas. */
function structure(members: Readonly<Record<string, unknown>>, name = 'Thing'): unknown[] {
  return [3, 'com.example', name, 0, Object.keys(members), Object.values(members)];
}

function operationOf(input: unknown, output: unknown, traits: unknown = 0): Operation {
  const schema = [9, 'com.example', 'DoIt', traits, input, output];
  return operationIn({ DoIt$: schema }, 'DoIt') ?? assert.fail('it is none');
}

function membersOf(shape: Shape): ReadonlyMap<string, Member> {
  assert.equal(shape.kind, 'structure');
  return new Map(shape.members.map((one) => [one.name, one]));
}

function memberOf(members: Readonly<Record<string, unknown>>, name: string): Member {
  const { input } = operationOf(structure(members), 0);
  return membersOf(input).get(name) ?? assert.fail(name);
}

test('only schemas of operations are operations', () => {
  const module = { A$: [9, 'x', 'A', 0, 0, 0], B$: structure({}), C$: 9, D: () => {} };
  assert.deepEqual(operationNames(module), ['A']);
  assert.equal(operationIn(module, 'A')?.name, 'A');
  for (const name of ['B', 'C', 'D', 'E']) assert.equal(operationIn(module, name), null, name);
});

test('an operation has a path where its traits give one', () => {
  const { http } = operationOf(0, 0, { http: ['GET', '/clusters/{name}', 200] });
  assert.deepEqual(http, { method: 'GET', path: '/clusters/{name}', status: 200 });
  for (const traits of [0, undefined, { http: 'GET' }, {}])
    assert.equal(operationOf(0, 0, traits).http, null);
});

test('a number is a simple shape, or a list or map of one', () => {
  const kinds = [0, 1, 2, 4, 5, 6, 7, 15, 17, 19, 21, 64, 128];
  const found = kinds.map((schema) => memberOf({ one: schema }, 'one').shape().kind);
  assert.deepEqual(found.slice(0, 7), ['text', 'number', 'flag', 'time', 'time', 'time', 'time']);
  assert.deepEqual(found.slice(7), ['document', 'number', 'number', 'bytes', 'list', 'map']);
  const list = memberOf({ one: 64 + 1 }, 'one').shape();
  assert.equal(list.kind === 'list' && list.item.name, 'member');
  assert.equal(list.kind === 'list' && list.item.shape().kind, 'number');
  const map = memberOf({ one: 128 + 2 }, 'one').shape();
  assert.equal(map.kind === 'map' && `${map.key.name} ${map.value.name}`, 'key value');
  assert.equal(map.kind === 'map' && map.key.shape().kind, 'text');
  assert.equal(map.kind === 'map' && map.value.shape().kind, 'flag');
});

test('lists, maps, named simple shapes and structures are read, also where only named', () => {
  const list = memberOf({ one: () => [1, 'x', 'List', 0, [() => 1, { xmlName: 'item' }]] }, 'one');
  const shape = list.shape();
  assert.equal(shape.kind === 'list' && shape.item.traits.xmlName, 'item');
  const map = memberOf({ one: [2, 'x', 'Map', 0, 0, () => structure({ a: 1 })] }, 'one').shape();
  assert.equal(map.kind === 'map' && `${map.key.name} ${map.value.name}`, 'key value');
  assert.equal(map.kind === 'map' && map.value.shape().kind, 'structure');
  assert.equal(memberOf({ one: [0, 'x', 'Secret', 8, 0] }, 'one').shape().kind, 'text');
  for (const kind of [3, 4, -3]) {
    const made = [kind, 'x', 'Made', 0, ['a'], [0]];
    assert.equal(membersOf(memberOf({ one: () => made }, 'one').shape()).size, 1);
  }
  assert.equal(membersOf(memberOf({ one: () => 'unit' }, 'one').shape()).size, 0);
});

test('a shape of a kind that is new in the SDK is an error, not an empty shape', () => {
  for (const odd of [[5, 'x', 'Odd', 0, ['a'], [0]], 'text', 8])
    assert.throws(() => memberOf({ one: () => odd }, 'one').shape(), /AWS SDK has a shape of an/);
});

/** How many shapes an operation has, each read once. */
function countShapes(shape: Shape, seen: Set<Shape>): number {
  if (seen.has(shape)) return 0;
  seen.add(shape);
  const members =
    shape.kind === 'structure'
      ? shape.members
      : shape.kind === 'list'
        ? [shape.item]
        : shape.kind === 'map'
          ? [shape.key, shape.value]
          : [];
  return members.reduce((count, one) => count + countShapes(one.shape(), seen), 1);
}

const SIGNING_NAMES =
  'ec2 autoscaling sts iam cloudformation eks route53 kms ecr cloudtrail ssm logs'.split(' ');

for (const name of SIGNING_NAMES)
  test(`each command of ${name} in the AWS SDK has a model that the door reads`, async () => {
    const module = await (formOf(name) ?? assert.fail(name)).load();
    const commands = Object.keys(module).filter((one) => /^[A-Z]\w+Command$/.test(one));
    const where =
      `the AWS SDK for ${name} no longer exports each operation NAME as the schema NAME$ ` +
      '(StaticOperationSchema of @smithy/types); adapt src/doors/aws/schema.ts';
    const operations = operationNames({ ...module });
    assert.deepEqual(
      operations.map((one) => `${one}Command`).toSorted(),
      commands.toSorted(),
      where,
    );
    for (const one of operations) {
      const operation = operationIn({ ...module }, one) ?? assert.fail(where);
      for (const side of ['input', 'output'] as const)
        assert.ok(countShapes(operation[side], new Set()) > 0, `${one}, ${side}: ${where}`);
    }
  });

test('members of known operations are where the AWS SDK has them', async () => {
  const where =
    'the AWS SDK writes members or traits in another way; adapt src/doors/aws/schema.ts';
  const read = async (name: string, operation: string): Promise<Operation> => {
    const module = await (formOf(name) ?? assert.fail(name)).load();
    return operationIn({ ...module }, operation) ?? assert.fail(where);
  };
  const instances = membersOf((await read('ec2', 'DescribeInstances')).input).get('InstanceIds');
  assert.equal(instances?.shape().kind, 'list', where);
  assert.equal(instances.traits.xmlName, 'InstanceId', where);
  const group = await read('eks', 'DescribeNodegroup');
  assert.equal(group.http?.path, '/clusters/{clusterName}/node-groups/{nodegroupName}', where);
  assert.equal(membersOf(group.input).get('clusterName')?.traits.place, 'path', where);
  const groups = membersOf((await read('eks', 'ListNodegroups')).input).get('maxResults');
  assert.equal(groups?.traits.queryName, 'maxResults', where);
  const token = membersOf((await read('sts', 'AssumeRole')).output)
    .get('Credentials')
    ?.shape();
  assert.ok(token !== undefined, where);
  assert.equal(membersOf(token).get('Expiration')?.shape().kind, 'time', where);
});

test('a shape that holds itself is the same shape each time', () => {
  const tree: unknown[] = structure({ name: 0, below: () => tree });
  const { input } = operationOf(tree, 0);
  assert.equal(membersOf(input).get('below')?.shape(), input);
});

test('traits say where a member is and what it is called', () => {
  const of = (traits: unknown): Member['traits'] => memberOf({ one: [0, traits] }, 'one').traits;
  const none = {
    xmlName: null,
    ec2QueryName: null,
    isFlattened: false,
    place: null,
    queryName: null,
  };
  assert.deepEqual(of(0), none);
  assert.deepEqual(of(null), none);
  assert.deepEqual(memberOf({ one: 0 }, 'one').traits, none);
  assert.deepEqual(of(1), { ...none, place: 'path' });
  assert.deepEqual(of({ httpLabel: 1 }), { ...none, place: 'path' });
  assert.deepEqual(of(64), { ...none, place: 'query' });
  assert.deepEqual(of({ httpQuery: 'max' }), { ...none, place: 'query', queryName: 'max' });
  const names = { xmlName: 'a', ec2QueryName: 'B', xmlFlattened: 1 };
  assert.deepEqual(of(names), { ...none, xmlName: 'a', ec2QueryName: 'B', isFlattened: true });
  assert.deepEqual(of({ xmlName: 7 }), none);
});

const ALL = structure({
  flag: 2,
  count: 1,
  tags: 128,
  names: 64,
  named: [0, { xmlName: 'other' }],
  own: [0, { ec2QueryName: 'Own' }],
  below: () => structure({ text: 0 }),
});

function inputOf(parameters: Readonly<Record<string, string>>, isEc2 = false): unknown {
  return queryInput(new URLSearchParams(parameters), operationOf(ALL, 0).input, isEc2);
}

test('parameters become flags, numbers, maps, lists and structures', () => {
  const parameters = {
    flag: 'TRUE',
    count: '7',
    'tags.entry.2.key': 'b',
    'tags.entry.2.value': '2',
    'tags.entry.1.Key': 'a',
    'tags.entry.1.Value': '1',
    'tags.entry.3.other': 'x',
    'names.member.2': 'y',
    'names.member.1': 'x',
    'below.text': 'deep',
    other: 'by its name in XML',
  };
  assert.deepEqual(inputOf(parameters), {
    flag: true,
    count: 7,
    tags: { a: '1', b: '2', '': '' },
    names: ['x', 'y'],
    below: { text: 'deep' },
    named: 'by its name in XML',
  });
  assert.deepEqual(inputOf({ flag: 'no', count: '' }), { flag: false, count: '' });
  assert.deepEqual(inputOf({ count: 'many' }), { count: 'many' });
  assert.deepEqual(inputOf({ 'names.x': 'y' }), { names: [] });
});

test('EC2 has its special names and capitals', () => {
  assert.deepEqual(inputOf({ Own: 'a', Other: 'b', 'Below.Text': 'c', Flag: 'true' }, true), {
    flag: true,
    named: 'b',
    own: 'a',
    below: { text: 'c' },
  });
});

function xml(output: Record<string, Json>): string {
  const text = queryXml(operationOf(0, ALL), 'urn:x', output, 'r1');
  return /<DoItResult>(.*)<\/DoItResult>/s.exec(text)?.[1] ?? text;
}

test('maps and lists go over the wire entry by entry', () => {
  assert.equal(
    xml({ tags: { a: '1', b: '2' } }),
    '<tags><entry><key>a</key><value>1</value></entry><entry><key>b</key><value>2</value></entry></tags>',
  );
  assert.equal(xml({ names: ['x', 'y'] }), '<names><member>x</member><member>y</member></names>');
  assert.equal(xml({ below: { text: 'a<b' } }), '<below><text>a&lt;b</text></below>');
  assert.equal(xml({ flag: true, count: 7 }), '<flag>true</flag><count>7</count>');
});

test('what does not have the shape of the model goes into JSON as it is', () => {
  const { output } = operationOf(
    0,
    structure({ list: 64, map: 128, one: () => structure({ a: 0 }) }),
  );
  const odd = { list: 'text', map: ['x'], one: 7 };
  assert.deepEqual(jsonOutput(output, odd), odd);
  const right = { list: ['a'], map: { k: 'v' }, one: { a: 'x', secret: 1 } };
  assert.deepEqual(jsonOutput(output, right), { ...right, one: { a: 'x' } });
});

const REFUSAL = { code: 'Some<Code>', message: 'Not "so"', status: 400 };

test('a refusal is worded as each protocol does', () => {
  const ids = { 'x-amzn-requestid': 'r1' };
  const json = { ...ids, 'x-amzn-errortype': REFUSAL.code };
  assert.deepEqual(errorReply('rest-json', REFUSAL, 'r1'), {
    status: 400,
    headers: { ...json, 'content-type': 'application/json' },
    body: '{"message":"Not \\"so\\""}',
  });
  assert.deepEqual(errorReply('json', REFUSAL, 'r1'), {
    status: 400,
    headers: { ...json, 'content-type': 'application/x-amz-json-1.1' },
    body: '{"__type":"Some<Code>","message":"Not \\"so\\""}',
  });
  const headers = { ...ids, 'content-type': 'text/xml;charset=UTF-8' };
  const words = '<Code>Some&lt;Code&gt;</Code><Message>Not &quot;so&quot;</Message></Error>';
  assert.deepEqual(errorReply('ec2', REFUSAL, 'r1'), {
    status: 400,
    headers,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error>${words}</Errors><RequestID>r1</RequestID></Response>`,
  });
  for (const protocol of ['query', 'rest-xml', null] as const)
    assert.deepEqual(errorReply(protocol, REFUSAL, 'r1'), {
      status: 400,
      headers,
      body: `<ErrorResponse><Error><Type>Sender</Type>${words}<RequestId>r1</RequestId></ErrorResponse>`,
    });
  assert.match(errorReply('query', { ...REFUSAL, status: 500 }, 'r1').body, /<Type>Receiver</);
});
