import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { breaksBy, pinValue, type RenameContext } from './breaks.ts';

const EVICTED = ['volume-attach', 'local-volumes', 'pinned-pods', 'kube-proxy', 'cloud-routes'];

function effects(change: Partial<RenameContext> = {}) {
  return breaksBy('old.example', 'new', { credential: null, inTreeVolumes: false, ...change });
}

function kinds(change: Partial<RenameContext>): readonly string[] {
  return effects(change).breaks.map(({ what }) => what);
}

function breakOf(what: string, change: Partial<RenameContext> = {}) {
  const found = effects(change).breaks.find((one) => one.what === what);
  assert.ok(found !== undefined, what);
  return found;
}

describe('a new name breaks', () => {
  const byCertificate = ['authorizer', 'lease', 'certificate-rotation'];

  test('the certificate or the mapping of users, as the machine is let in', () => {
    const all = (credential: RenameContext['credential']) => kinds({ credential });
    assert.deepEqual(all('certificate'), ['node-object', ...byCertificate, ...EVICTED]);
    assert.deepEqual(all('iam'), ['node-object', 'user-mapping', ...EVICTED]);
    assert.deepEqual(all(null), ['node-object', ...byCertificate, 'user-mapping', ...EVICTED]);
  });

  test('no way in once the Node is there', () => {
    assert.deepEqual(kinds({ isRegistered: true }), ['node-object', ...EVICTED]);
    assert.match(
      breakOf('node-object', { isRegistered: true }).sentence,
      /Node new exists beside it\.$/,
    );
  });

  test('the old Node, beside which a new one appears or does not', () => {
    const sentence = (credential: RenameContext['credential']) =>
      breakOf('node-object', { credential }).sentence;
    assert.match(sentence('certificate'), /no Node new appears until the machine joins again\.$/);
    assert.match(sentence('iam'), /Node new appears beside it once/);
  });

  test('volumes by the rule of their driver', () => {
    const [inTree, csi] = [true, false].map((inTreeVolumes) =>
      breakOf('volume-attach', { inTreeVolumes }),
    );
    assert.match(inTree?.sentence ?? '', /must be the private DNS name of EC2/);
    assert.match(csi?.sentence ?? '', /stay attached in the name of old\.example/);
    assert.notEqual(inTree?.source, csi?.source);
  });

  test('nothing when the name stays', () => {
    assert.deepEqual(breaksBy('a', 'a', { credential: null, inTreeVolumes: true }).breaks, []);
  });
});

describe('each break has commands', () => {
  const commands: readonly (readonly [string, readonly RegExp[]])[] = [
    [
      'node-object',
      [/^kubectl get node old\.example new -o wide$/, /^kubectl delete node old\.example$/],
    ],
    ['authorizer', [/^openssl x509 /, /^journalctl -u kubelet /]],
    ['lease', [/^kubectl -n kube-node-lease get lease new -o yaml$/]],
    ['certificate-rotation', [/^kubeadm token create /, /--node-name new$/]],
    ['user-mapping', [/get configmap aws-auth/, /^aws eks list-access-entries /]],
    ['volume-attach', [/--arg old old\.example /, /^kubectl get csinode new -o yaml$/]],
    ['local-volumes', [/^kubectl get pv -o json .*--arg old old\.example /]],
    [
      'pinned-pods',
      [
        /spec\.nodeName=old\.example -o wide$/,
        /^kubectl get deploy,sts,ds .*--arg old old\.example /,
      ],
    ],
    ['kube-proxy', [/get configmap kube-proxy .*hostnameOverride$/]],
    ['cloud-routes', [/^kubectl get node old\.example new -o custom-columns=/]],
  ];
  for (const [what, patterns] of commands)
    test(what, () => {
      const own = breakOf(what);
      assert.equal(own.commands.length, patterns.length);
      for (const [index, pattern] of patterns.entries())
        assert.match(own.commands[index] ?? '', pattern);
      assert.notEqual(own.source, '');
    });
});

test('pods are pinned by a label that outlives the name', () => {
  assert.deepEqual(effects().pin, {
    label: 'rollcall.dev/machine=old',
    commands: [
      'kubectl label node new rollcall.dev/machine=old --overwrite',
      'kubectl get pods -A -o wide --field-selector spec.nodeName=new',
    ],
    kubeletFlag: '--node-labels=rollcall.dev/machine=old',
    podSpec: 'nodeSelector: { rollcall.dev/machine: old }',
  });
});

test('a label holds the first part of a name, without what labels cannot hold', () => {
  const values: readonly (readonly [string, string])[] = [
    ['Web_1.example', 'web_1'],
    ['web 1', 'web-1'],
    ['--web--', 'web'],
    ['$a', 'a'],
    ['...', 'machine'],
    ['é', 'machine'],
    ['a'.repeat(70), 'a'.repeat(63)],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ];
  for (const [name, value] of values) assert.equal(pinValue(name), value, name);
});
