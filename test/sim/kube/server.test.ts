import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAt, textAt } from '../../../src/evidence/json.ts';
import { ask, configMap, done, names, node, pod, refusal, scene, versionOf } from './scene.ts';
import { wordOf } from '../../../src/sim/kube/word.ts';

test('a pod is created, bound, given time to end, and gone when its kubelet says so', () => {
  const { admin, pass } = scene();
  const told: string[] = [];
  admin.follow('Pod', (type, object) => {
    const grace = textAt(object, 'metadata.deletionGracePeriodSeconds');
    told.push(`${type} ${grace ?? 'stays'}`);
  });
  done(admin.create(pod('p')));
  done(admin.bind('default/p', 'n1'));
  assert.equal(admin.list('Pod', { fieldSelector: 'spec.nodeName=n1' }).length, 1);
  done(admin.delete('Pod', 'default/p'));
  const ending = admin.get('Pod', 'default/p') ?? {};
  assert.equal(textAt(ending, 'metadata.deletionTimestamp'), '2026-01-01T00:00:30Z');
  done(admin.delete('Pod', 'default/p', { gracePeriodSeconds: 0 }));
  assert.equal(admin.get('Pod', 'default/p'), null);
  pass(0);
  const ends = ['MODIFIED 30', 'MODIFIED 0', 'DELETED 0'];
  assert.deepEqual(told, ['ADDED stays', 'MODIFIED stays', ...ends]);
});

test('a pod that ends keeps its time, finished or not, until a request names a shorter one', () => {
  const { admin } = scene();
  done(admin.create(pod('p')));
  done(admin.bind('default/p', 'n1'));
  done(admin.delete('Pod', 'default/p'));
  const finished = { status: { phase: 'Succeeded' } };
  done(admin.patch('Pod', 'default/p', 'merge', finished, 'status'));
  const left = (options?: { gracePeriodSeconds: number }): string | null => {
    done(admin.delete('Pod', 'default/p', options));
    const kept = admin.get('Pod', 'default/p');
    return kept === null ? 'gone' : textAt(kept, 'metadata.deletionGracePeriodSeconds');
  };
  assert.deepEqual(
    [left(), left({ gracePeriodSeconds: 40 }), left({ gracePeriodSeconds: 7 })],
    ['30', '30', '7'],
  );
  assert.equal(left({ gracePeriodSeconds: -1 }), '1');
  assert.equal(left({ gracePeriodSeconds: 0 }), 'gone');
});

test('a second eviction of a pod that ends changes nothing', () => {
  const { admin, pass } = scene();
  done(admin.create(pod('p')));
  done(admin.bind('default/p', 'n1'));
  done(admin.evict('default/p'));
  const first = admin.get('Pod', 'default/p');
  pass(5000);
  done(admin.evict('default/p'));
  assert.deepEqual(admin.get('Pod', 'default/p'), first);
});

test('a version that is not the stored one is a conflict, and no change keeps the version', () => {
  const { admin } = scene();
  const first = done(admin.create(configMap('a', { data: { k: '1' } })));
  const same = done(admin.update(first));
  assert.equal(versionOf(same), versionOf(first));
  done(admin.update({ ...first, data: { k: '2' } }));
  assert.equal(
    refusal(admin.update({ ...first, data: { k: '3' } })),
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; ' +
      'please apply your changes to the latest version and try again',
  );
});

test('a name that was deleted comes back as another object', () => {
  const { admin } = scene();
  const first = done(admin.create(configMap('a')));
  const uid = textAt(first, 'metadata.uid') ?? '';
  done(admin.delete('ConfigMap', 'default/a'));
  done(admin.create(configMap('a')));
  assert.match(
    refusal(admin.delete('ConfigMap', 'default/a', { uid })),
    /^409 Conflict: .*recreated/,
  );
});

test('finalizers hold a deleted object until the last one is gone', () => {
  const { admin, pass } = scene();
  const told: string[] = [];
  admin.follow('ConfigMap', (type, object) => {
    told.push(`${type} ${wordOf(listAt(object, 'metadata.finalizers')[0] ?? 'free')}`);
  });
  done(admin.create(configMap('a', { metadata: { name: 'a', finalizers: ['x.test/held'] } })));
  done(admin.delete('ConfigMap', 'default/a'));
  assert.notEqual(admin.get('ConfigMap', 'default/a'), null);
  const freed = done(
    admin.patch('ConfigMap', 'default/a', 'merge', { metadata: { finalizers: null } }),
  );
  assert.deepEqual(listAt(freed, 'metadata.finalizers'), []);
  assert.equal(admin.get('ConfigMap', 'default/a'), null);
  pass(0);
  const held = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => `${type} x.test/held`);
  assert.deepEqual(told, held);
});

test('names are generated where only their beginning is given', () => {
  const { admin } = scene();
  const object = configMap('', { metadata: { generateName: 'made-' } });
  const [one, other] = [done(admin.create(object)), done(admin.create(object))];
  assert.match(textAt(one, 'metadata.name') ?? '', /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.notEqual(textAt(one, 'metadata.name'), textAt(other, 'metadata.name'));
});

test('a status is written by itself, and leaves the spec alone', () => {
  const { admin } = scene();
  done(admin.create(pod('p')));
  done(admin.patch('Pod', 'default/p', 'merge', { status: { phase: 'Running' } }));
  assert.equal(textAt(admin.get('Pod', 'default/p') ?? {}, 'status.phase'), 'Pending');
  const both = { status: { phase: 'Running' }, spec: { nodeName: 'n' } };
  done(admin.patch('Pod', 'default/p', 'merge', both, 'status'));
  const after = admin.get('Pod', 'default/p') ?? {};
  assert.equal(textAt(after, 'status.phase'), 'Running');
  assert.equal(textAt(after, 'spec.nodeName'), null);
});

test('a new Node is tainted as not ready, and its taints are replaced as a whole', () => {
  const { admin } = scene();
  const made = done(
    admin.create(node('n', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })),
  );
  const keys = (object: object): readonly string[] =>
    JSON.stringify(object).match(/(?<="key":")[^"]+/g) ?? [];
  assert.deepEqual(keys(made), ['a', 'node.kubernetes.io/not-ready']);
  const one = { spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] } };
  assert.deepEqual(keys(done(admin.patch('Node', 'n', 'strategic', one))), ['b']);
});

test('deletes exactly the selected collection', () => {
  const world = scene();
  for (const name of ['a', 'b', 'c'])
    done(world.admin.create(configMap(name, { metadata: { name, labels: { in: name } } })));
  const query = { labelSelector: 'in in (a,b)' };
  const gone = ask(world, { verb: 'deletecollection', plural: 'configmaps', query });
  assert.deepEqual(names(gone), ['a', 'b']);
  assert.deepEqual(names(ask(world, { verb: 'list', plural: 'configmaps' })), ['c']);
});

test('nothing comes into a namespace that ends, or that is not there', () => {
  const { admin } = scene();
  const inside = configMap('a', { metadata: { name: 'a', namespace: 'team' } });
  assert.equal(refusal(admin.create(inside)), '404 NotFound: namespaces "team" not found');
  done(admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } }));
  done(admin.create(inside));
  done(admin.delete('Namespace', 'team'));
  const other = configMap('b', { metadata: { name: 'b', namespace: 'team' } });
  assert.match(refusal(admin.create(other)), /^403 Forbidden: .* because it is being terminated$/);
});

test('an Event is one object in both of its APIs, and is gone after an hour', () => {
  const world = scene();
  const event = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
    reason: 'Pulled',
    message: 'it came',
  };
  done(world.admin.create(event));
  const raw = { verb: 'get', plural: 'events', name: 'e', group: 'events.k8s.io' } as const;
  const { object } = ask(world, raw);
  assert.equal(textAt(object, 'apiVersion'), 'events.k8s.io/v1');
  assert.equal(textAt(object, 'note'), 'it came');
  assert.equal(textAt(object, 'regarding.name'), 'p');
  world.pass(3_599_999);
  assert.equal(ask(world, raw).code, 200);
  world.pass(1);
  assert.equal(ask(world, raw).code, 404);
});

test('a pod update may change an image and no container', () => {
  const { admin } = scene();
  done(admin.create(pod('p')));
  const images = { spec: { containers: [{ name: 'c', image: 'i:2' }] } };
  done(admin.patch('Pod', 'default/p', 'strategic', images));
  const more = { spec: { containers: [{ name: 'd', image: 'i:2' }] } };
  assert.match(
    refusal(admin.patch('Pod', 'default/p', 'strategic', more)),
    /^422 Invalid: Pod "p" is invalid: spec.containers: Forbidden: pod updates may not add or remove containers$/,
  );
});
