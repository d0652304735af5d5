import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldsOf, messageName, messageOf } from './messages.ts';

test('a kind has the name of its Go package', () => {
  const names: readonly (readonly [string, string, string])[] = [
    ['v1', 'Pod', 'core/v1.Pod'],
    ['apps/v1', 'DaemonSet', 'apps/v1.DaemonSet'],
    ['rbac.authorization.k8s.io/v1', 'Role', 'rbac/v1.Role'],
    ['networking.k8s.io/v1beta1', 'Ingress', 'networking/v1beta1.Ingress'],
    ['v1', 'DeleteOptions', 'meta/v1.DeleteOptions'],
    ['apps/v1', 'DeleteOptions', 'meta/v1.DeleteOptions'],
    ['v1', 'Status', 'meta/v1.Status'],
  ];
  for (const [apiVersion, kind, name] of names) assert.equal(messageName(apiVersion, kind), name);
});

test('a line of the table gives each field its number, name and type', () => {
  const scalar = { is: 'scalar', code: 's' };
  const message = { is: 'message', name: 'core/v1.PodSpec' };
  const line =
    'name:1:s spec:20:@core/v1.PodSpec? args:3:[s]? labels:4:<s> rules:5:[<@a/v1.B>] :6:@a/v1.B?';
  const other = { is: 'message', name: 'a/v1.B' };
  assert.deepEqual(
    [...fieldsOf(line)],
    [
      [1, { name: 'name', coding: scalar, isKept: false }],
      [20, { name: 'spec', coding: message, isKept: true }],
      [3, { name: 'args', coding: { is: 'list', element: scalar }, isKept: true }],
      [4, { name: 'labels', coding: { is: 'map', element: scalar }, isKept: false }],
      [
        5,
        {
          name: 'rules',
          coding: { is: 'list', element: { is: 'map', element: other } },
          isKept: false,
        },
      ],
      [6, { name: '', coding: other, isKept: true }],
    ],
  );
});

test('a message is known by its name, also one without fields', () => {
  assert.equal(messageOf('apps/v1.DeploymentSpec')?.get(9)?.name, 'progressDeadlineSeconds');
  assert.equal(messageOf('none/v1.Thing'), null);
  assert.equal(fieldsOf('').size, 0);
});
