import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readReplacementFlags } from './replacement-flags.ts';

describe('flags of nidhogg', () => {
  test('its chart is understood', () => {
    assert.deepEqual(
      readReplacementFlags([
        '--config-file=/config/config.json',
        '--leader-election',
        '--leader-namespace=nidhogg',
        '--leader-configmap=nidhogg-election',
      ]),
      {
        program: 'nidhogg',
        kubeconfig: null,
        ignored: ['--leader-election', '--leader-configmap'],
        configFile: '/config/config.json',
        listens: [':8080'],
        namespace: 'nidhogg',
      },
    );
  });

  test('one dash is as good as two, and a value may be the next word', () => {
    const read = readReplacementFlags([
      '-config-file',
      'x.yaml',
      '-metrics-addr',
      ':9',
      '-kube-api-qps=5',
    ]);
    assert.deepEqual(
      [read.configFile, read.listens, read.ignored],
      ['x.yaml', [':9'], ['--kube-api-qps']],
    );
  });

  test('a switch takes no next word, and what follows a word is left alone', () => {
    const read = readReplacementFlags(['--leader-election', 'word', '--no-such']);
    assert.deepEqual([read.program, read.configFile], ['nidhogg', 'config.json']);
  });
});

describe('flags of the Node Readiness Controller', () => {
  test('its manifest is understood', () => {
    assert.deepEqual(
      readReplacementFlags(['--leader-elect', '--health-probe-bind-address=:8081']),
      {
        program: 'Node Readiness Controller',
        kubeconfig: null,
        ignored: ['--leader-elect'],
        configFile: null,
        listens: [':8081'],
        namespace: null,
      },
    );
  });

  test('metrics are served where they are asked for, and 0 is nowhere', () => {
    const listens = (address: string): readonly string[] =>
      readReplacementFlags([`--metrics-bind-address=${address}`]).listens;
    assert.deepEqual(listens(':8080'), [':8081', ':8080']);
    assert.deepEqual(listens('0'), [':8081']);
    assert.deepEqual(listens(':8081'), [':8081']);
  });

  test('what is not served here is refused, and may be switched off', () => {
    assert.throws(
      () => readReplacementFlags(['--enable-webhook']),
      /ValidatingWebhookConfiguration/,
    );
    assert.throws(
      () => readReplacementFlags(['--metrics-secure=true']),
      /--metrics-secure is not served/,
    );
    assert.deepEqual(readReplacementFlags(['--enable-webhook=false']).ignored, [
      '--enable-webhook',
    ]);
  });
});

test('flags that nobody has, of both, of none and without a value are refused', () => {
  assert.throws(() => readReplacementFlags(['--no-such=x']), /neither nidhogg nor/);
  assert.throws(
    () => readReplacementFlags(['--config-file=a', '--leader-elect']),
    /of nidhogg and of/,
  );
  assert.throws(() => readReplacementFlags(['--kubeconfig=a']), /name --config-file/);
  assert.throws(() => readReplacementFlags([]), /name --config-file/);
  assert.throws(() => readReplacementFlags(['--config-file']), /needs a value/);
});
