/** One Node in several forms: the one that says most counts, in whatever order they come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assembleSubjects } from '../../src/diagnosis/subjects.ts';
import { createView, readSigns } from '../../src/diagnosis/view.ts';
import { plainCause } from './fixtures.ts';
import { read } from './read.ts';

const FORMS: Readonly<Record<string, string>> = {
  JSON: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', uid: 'u' },
    spec: {},
    status: { nodeInfo: { kubeletVersion: 'v1.JSON' } },
  }),
  YAML: `apiVersion: v1
kind: Node
metadata:
  name: n1
  uid: u
spec: {}
status:
  nodeInfo:
    kubeletVersion: v1.YAML
`,
  describe: `Name:               n1
Roles:              <none>
Labels:             a=b
Taints:             <none>
System Info:
  Kubelet Version:            v1.describe
`,
  table: `NAME   STATUS   ROLES    AGE   VERSION
n1     Ready    <none>   3d    v1.table
`,
};

/** The form that a cause gets to see, of a Node in these files. */
function formSeen(files: readonly string[]): string {
  const named = Object.fromEntries(files.map((text, index) => [`${index}.txt`, text]));
  const { listings, collection, ...rest } = read(named);
  const [machine, ...others] = assembleSubjects({ listings, collection, ...rest }).filter(
    ({ kind }) => kind === 'Machine',
  );
  assert.ok(machine !== undefined && others.length === 0);
  const reading = readSigns(plainCause('a'), machine);
  const node = createView(machine, reading, { listings, collection }).read('kube/Node');
  return node.state === 'seen' ? (node.value.kubeletVersion ?? '').slice('v1.'.length) : node.state;
}

for (const [rich, poor] of [
  ['JSON', 'describe'],
  ['JSON', 'table'],
  ['YAML', 'describe'],
  ['YAML', 'table'],
  ['describe', 'table'],
] as const)
  test(`${rich} counts before ${poor}`, () => {
    const [first = '', second = ''] = [FORMS[rich], FORMS[poor]];
    assert.equal(formSeen([first, second]), rich);
    assert.equal(formSeen([second, first]), rich);
    assert.equal(formSeen([`${second}\n${first}`]), rich, 'below one another in one file');
  });

for (const form of Object.keys(FORMS))
  test(`${form} counts where nothing else is there`, () => {
    assert.equal(formSeen([FORMS[form] ?? '']), form);
  });
