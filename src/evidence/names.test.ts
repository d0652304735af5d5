import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  classifyName,
  hasEc2Domain,
  hostPart,
  instanceIdIn,
  ipInName,
  linkKeys,
  plainName,
} from './names.ts';

function keys(text: string): readonly string[] {
  const name = classifyName(text);
  return name === null ? [] : linkKeys(name);
}

describe('names of machines', () => {
  test('distinguishes kinds by their form', () => {
    assert.equal(classifyName('i-0abc1234def567890')?.kind, 'instance-id');
    assert.equal(classifyName('aws:///eu-west-1a/i-0abc1234def567890')?.kind, 'provider-id');
    assert.equal(classifyName('10.0.1.2')?.kind, 'ip');
    assert.equal(classifyName('eni-0123456789abcdef0')?.kind, 'network-interface');
    assert.equal(classifyName('system:node:node00')?.kind, 'certificate');
    assert.equal(classifyName('node00.k8s.internal')?.kind, 'node');
  });

  test('ignores names without meaning', () => {
    for (const text of ['', 'localhost', '-', '(none)', '<none>', 'two words'])
      assert.equal(classifyName(text), null, text);
  });

  test('all names of one machine share a key', () => {
    const key = 'ip:10.0.1.2';
    for (const text of [
      '10.0.1.2',
      'ip-10-0-1-2',
      'ip-10-0-1-2.ec2.internal',
      'ip-10-0-1-2.corp.example',
      'system:node:ip-10-0-1-2.ec2.internal',
    ]) {
      assert.deepEqual(keys(text), [key], text);
    }
    assert.deepEqual(
      keys('aws:///eu-west-1a/i-0abc1234def567890'),
      keys('i-0abc1234def567890.eu-west-1.compute.internal'),
    );
    assert.deepEqual(keys('node00'), keys('node00.k8s.internal'));
  });

  test('two machines share none', () => {
    assert.notDeepEqual(keys('ip-10-0-1-2'), keys('ip-10-0-1-20'));
    assert.notDeepEqual(keys('node00.k8s.internal'), keys('node01.k8s.internal'));
    assert.notDeepEqual(keys('i-0abc1234def567890'), keys('i-0abc1234def567891'));
  });

  test('a certificate without a name links nothing', () => {
    assert.deepEqual(linkKeys({ kind: 'certificate', value: 'system:node:' }), []);
  });

  test('EC2 domains are those of regions, China included', () => {
    for (const name of [
      'a.ec2.internal',
      'a.eu-west-1.compute.internal',
      'a.cn-north-1.compute.amazonaws.com.cn',
      'a.us-gov-west-1.compute.internal',
    ]) {
      assert.equal(hasEc2Domain(name), true, name);
    }
    for (const name of ['a.corp.example', 'a', 'a.compute.internal.example', 'a.compute.internal'])
      assert.equal(hasEc2Domain(name), false, name);
  });

  test('ids and addresses are found inside longer names', () => {
    assert.equal(
      instanceIdIn('arn:aws:ec2:eu-west-1:1:instance/i-0abc1234def567890'),
      'i-0abc1234def567890',
    );
    assert.equal(instanceIdIn('i-123'), null);
    assert.equal(ipInName('ip-10-0-1-2.ec2.internal'), '10.0.1.2');
    assert.equal(ipInName('ip-10-0-1-2x'), null);
  });
});

describe('forms of names', () => {
  test('an instance id has eight to seventeen digits between separators', () => {
    assert.equal(instanceIdIn('aws:///z/i-0abc1234'), 'i-0abc1234');
    assert.equal(instanceIdIn('i-0abc12345.ec2.internal'), 'i-0abc12345');
    for (const text of [
      'i-0abc123',
      'i-0abc123456789abcdef',
      'xi-0abc1234',
      'i-0abc1234x',
      'i-0ABC1234',
    ])
      assert.equal(instanceIdIn(text), null, text);
  });

  test('an address in a name ends with the name or its first part', () => {
    assert.equal(ipInName('ip-10-0-1-255'), '10.0.1.255');
    assert.equal(ipInName('ip-10-0-1-2.corp'), '10.0.1.2');
    for (const text of ['ip-10-0-1', 'ip-10-0-1-2x', 'my-ip-10-0-1-2', 'ip-1000-0-1-2'])
      assert.equal(ipInName(text), null, text);
  });

  test('distinguishes kinds by the whole text in lower case', () => {
    const kind = (text: string): string | undefined => classifyName(text)?.kind;
    assert.equal(kind(' I-0ABC1234 '), 'instance-id');
    assert.equal(kind('i-0abc1234x'), 'node');
    assert.equal(kind('my-i-0abc1234'), 'node');
    assert.equal(kind('eni-0abc1234'), 'network-interface');
    assert.equal(kind('eni-0abc1234x'), 'node');
    assert.equal(kind('my-eni-0abc1234'), 'node');
    assert.equal(kind('10.0.1.2.3'), 'node');
    assert.equal(kind('x10.0.1.2'), 'node');
    assert.equal(kind('1000.0.1.2'), 'node');
    assert.deepEqual(classifyName(' Node_00.x '), { kind: 'node', value: 'node_00.x' });
    assert.deepEqual(classifyName('n', 'host'), { kind: 'host', value: 'n' });
    assert.equal(classifyName('aws:///EU/I-1')?.value, 'aws:///EU/I-1');
    for (const text of ['a/b', 'localhost.localdomain', 'ip-xx', '.a', 'node:', 'a b'])
      assert.equal(classifyName(text), null, text);
  });
});

describe('parts of names', () => {
  test('EC2 domains end the name', () => {
    for (const name of [
      'a.ec2.internal.x',
      'a.compute.internal',
      'aec2.internal',
      'a.eu-1.compute.internal',
    ])
      assert.equal(hasEc2Domain(name), false, name);
    assert.equal(hasEc2Domain('a.us-east-1.compute.amazonaws.com'), true);
  });

  test('names without a matching key have a host part', () => {
    assert.equal(hostPart({ kind: 'node', value: 'node00.corp.example' }), 'node00');
    assert.equal(hostPart({ kind: 'certificate', value: 'system:node:node00' }), 'node00');
    for (const [kind, value] of [
      ['node', 'ip-10-0-1-2.ec2.internal'],
      ['pod', 'shop/web'],
      ['node-claim', 'default-x7k2p'],
      ['bundle', 'a.tar'],
      ['certificate', 'system:node:'],
    ] as const)
      assert.equal(hostPart({ kind, value }), null, value);
  });

  test('links claims and bundles by their names only', () => {
    assert.deepEqual(linkKeys({ kind: 'node-claim', value: 'a.b' }), ['node-claim:a.b']);
    assert.deepEqual(linkKeys({ kind: 'bundle', value: 'a.tar' }), ['bundle:a.tar']);
    assert.deepEqual(linkKeys({ kind: 'node', value: 'a.b' }), ['name:a']);
    assert.deepEqual(linkKeys({ kind: 'pod', value: 'shop/web' }), []);
    assert.equal(plainName({ kind: 'node', value: 'system:node:a' }), 'system:node:a');
  });
});
