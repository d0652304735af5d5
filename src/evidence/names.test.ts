import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { classifyName, hasEc2Domain, instanceIdIn, ipInName, linkKeys } from './names.ts';

function keys(text: string): readonly string[] {
  const name = classifyName(text);
  return name === null ? [] : linkKeys(name);
}

describe('names of machines', () => {
  test('kinds are told by their form', () => {
    assert.equal(classifyName('i-0abc1234def567890')?.kind, 'instance-id');
    assert.equal(classifyName('aws:///eu-west-1a/i-0abc1234def567890')?.kind, 'provider-id');
    assert.equal(classifyName('10.0.1.2')?.kind, 'ip');
    assert.equal(classifyName('eni-0123456789abcdef0')?.kind, 'network-interface');
    assert.equal(classifyName('system:node:node00')?.kind, 'certificate');
    assert.equal(classifyName('node00.k8s.internal')?.kind, 'node');
  });

  test('names that say nothing are none', () => {
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
