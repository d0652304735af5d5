import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { autoName, type NameFacts } from './auto-name.ts';

const FACTS: NameFacts = {
  isKubeadm: true,
  hostname: 'node00',
  instanceId: 'i-0a1b2c3d4e5f60718',
  zone: 'us-east-1a',
  privateDnsName: 'ip-10-0-1-5.ec2.internal',
  localHostname: 'ip-10-0-1-5.example.com ip-10-0-1-5.ec2.internal',
  command: ['kubeadm', 'join', '--config', 'join.yaml'],
  argumentsText: null,
};
const FLAG = '--provider-id=aws:///us-east-1a/i-0a1b2c3d4e5f60718';

describe('the name that is given to kubeadm', () => {
  const command = (change: Partial<NameFacts>) =>
    autoName({ ...FACTS, ...change }).command.join(' ');

  test('is the one that EC2 lists, and what instance metadata has where EC2 was not asked', () => {
    assert.equal(
      command({}),
      'kubeadm join --node-name ip-10-0-1-5.ec2.internal --config join.yaml',
    );
    assert.match(command({ privateDnsName: null }), /--node-name ip-10-0-1-5\.example\.com /);
  });

  test('stays out where the hostname is that, COMMAND has one, or nobody knows it', () => {
    const plain = FACTS.command.join(' ');
    assert.equal(command({ hostname: 'IP-10-0-1-5.ec2.internal' }), plain);
    assert.equal(command({ privateDnsName: null, localHostname: null }), plain);
    const named = ['kubeadm', 'join', '--node-name=mine'];
    assert.equal(command({ command: named }), named.join(' '));
  });

  test('says why', () => {
    assert.match(
      autoName(FACTS).why[0] ?? '',
      /hostname is node00, but EC2 knows .* ip-10-0-1-5\.ec2/,
    );
  });
});

describe('the provider ID', () => {
  const text = (change: Partial<NameFacts>) => autoName({ ...FACTS, ...change }).argumentsText;

  test('is added to what the file holds already', () => {
    assert.equal(text({}), `KUBELET_EXTRA_ARGS="${FLAG}"\n`);
    assert.equal(
      text({ argumentsText: '# mine\nKUBELET_EXTRA_ARGS="--v=4"\n' }),
      `# mine\nKUBELET_EXTRA_ARGS="--v=4 ${FLAG}"\n`,
    );
    assert.equal(
      text({ argumentsText: 'KUBELET_EXTRA_ARGS=\n' }),
      `KUBELET_EXTRA_ARGS="${FLAG}"\n`,
    );
  });

  test('stays where there is one, and is absent without instance and zone', () => {
    assert.equal(text({ argumentsText: `KUBELET_EXTRA_ARGS=${FLAG}\n` }), null);
    assert.equal(text({ zone: null }), null);
    assert.equal(text({ instanceId: null }), null);
  });
});

test('other join commands name the Node themselves', () => {
  const command = ['nodeadm', 'init'];
  const found = autoName({ ...FACTS, isKubeadm: false, command });
  assert.deepEqual([found.command, found.argumentsText], [command, null]);
});
