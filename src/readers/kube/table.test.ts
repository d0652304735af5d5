import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KubeNode } from '../../evidence/kinds.ts';
import type { LineSource } from '../../evidence/source.ts';
import { machineOfEvent, readTable } from './table.ts';
import { factOf, namesOf, type Written, writtenBy } from '../testing.ts';

function read(text: string, source: LineSource = 'unknown'): Written {
  const [header = '', ...rows] = text.split('\n');
  return writtenBy((passage) =>
    readTable(passage, { line: 10, header, rows }, { source, isKnown: false }),
  );
}

const WIDE = `NAME   STATUS                        ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   LABELS
web-1  Ready,SchedulingDisabled      <none>   2d4h  v1.30.4   10.0.1.5      <none>        role=web,zone=,odd
web-2  NotReady                      <none>   5m    v1.30.4   <none>        <none>        <none>
web-3  Unknown                       <none>   5m    <none>    10.0.1.7      <none>        a=b=c`;

describe('kubectl get nodes', () => {
  test('each row is a Node with what its columns say', () => {
    const { facts } = read(WIDE);
    const shown = facts.map(({ value }) => {
      const { name, internalIp, ready, unschedulable, ageMs, kubeletVersion, labels } =
        value as never;
      return [name, internalIp, ready, unschedulable, ageMs, kubeletVersion, labels];
    });
    assert.deepEqual(shown, [
      ['web-1', '10.0.1.5', true, true, 52 * 3_600_000, 'v1.30.4', { role: 'web', zone: '' }],
      ['web-2', null, false, false, 300_000, 'v1.30.4', {}],
      ['web-3', '10.0.1.7', null, false, 300_000, null, { a: 'b' }],
    ]);
    assert.deepEqual(
      facts.map(
        ({ kind, by, extent, locator, moment }) =>
          `${kind} ${by} ${extent} ${locator} ${moment.at.line}`,
      ),
      [11, 12, 13].map((line) => `kube/Node kubectl get nodes row file:${line} ${line}`),
    );
    assert.deepEqual(namesOf(facts[0]?.about ?? []), ['node web-1', 'ip 10.0.1.5']);
    assert.deepEqual(namesOf(facts[1]?.about ?? []), ['node web-2']);
  });

  test('what a table does not show is unknown, not absent', () => {
    const node = factOf(read(WIDE), 'kube/Node');
    const { taints, conditions, uid, providerId, hostname, internalDns, createdMs, podCidr } =
      node ?? assert.fail();
    assert.deepEqual(
      [
        taints,
        uid,
        providerId,
        hostname,
        internalDns,
        createdMs,
        podCidr,
        node?.machineId,
        node?.osImage,
      ],
      Array<null>(9).fill(null),
    );
    assert.deepEqual(
      [conditions, node?.annotations, node?.allocatable, node?.capacity, node?.taintWriters],
      [[], {}, {}, {}, []],
    );
  });
});

describe('a table of Nodes', () => {
  test('is a list of all Nodes, and links a name and an address', () => {
    const { listings, links, sources } = read(WIDE);
    assert.deepEqual(listings, [{ kind: 'kube/Node', by: 'kubectl get nodes', locator: 'file' }]);
    assert.deepEqual(
      links.map(({ names, locator }) => [...namesOf(names), locator]),
      [
        ['node web-1', 'ip 10.0.1.5', 'file:11'],
        ['node web-3', 'ip 10.0.1.7', 'file:13'],
      ],
    );
    assert.match(links[0]?.proof ?? '', /one row/);
    assert.deepEqual(sources, ['node-status']);
  });

  test('says the version and whether each is ready', () => {
    const { said } = read(WIDE);
    assert.deepEqual(
      said.map(({ text, line }) => `${line} ${text}`),
      [
        '11 Node web-1 version v1.30.4',
        '11 Node web-1 condition Ready=True (Ready,SchedulingDisabled)',
        '12 Node web-2 version v1.30.4',
        '12 Node web-2 condition Ready=False (NotReady)',
        '13 Node web-3 condition Ready=Unknown (Unknown)',
      ],
    );
    for (const { source, isState, about, when, host } of said)
      assert.deepEqual(
        [source, isState, about?.kind, when, host],
        ['node-status', true, 'node', null, null],
      );
  });

  for (const [header, isNodes] of [
    ['NAME STATUS ROLES', true],
    ['NAME STATUS VERSION', true],
    ['NAME STATUS AGE', false],
    ['NAME ROLES VERSION', false],
    ['STATUS ROLES VERSION', false],
  ] as const)
    test(`a table of ${header} is ${isNodes ? 'one' : 'none'} of Nodes`, () => {
      const { facts, listings } = read(`${header.replaceAll(' ', '   ')}\nweb   web   web`);
      assert.equal(facts.length > 0 || listings.length > 0, isNodes);
    });

  test('a row without a name is not a Node', () => {
    const { facts, said } = read('NAME   STATUS   ROLES\n       Ready    <none>');
    assert.deepEqual([facts, said], [[], []]);
  });
});

describe('cells', () => {
  const rowOf = (header: string, row: string): unknown => {
    const { name, internalIp, kubeletVersion } =
      factOf(read(`${header}\n${row}`), 'kube/Node') ?? assert.fail();
    return { name, internalIp, kubeletVersion };
  };
  const HEADER = 'NAME      STATUS   ROLES    VERSION   INTERNAL-IP';

  for (const [title, row, cells] of [
    [
      'that are all there are taken in order',
      '            web-1  Ready  <none>  v1  10.0.0.1',
      ['web-1', 'v1', '10.0.0.1'],
    ],
    [
      'where one is missing belong to the column above',
      'web-1     Ready             v1        10.0.0.1',
      ['web-1', 'v1', '10.0.0.1'],
    ],
    ['where the last are missing', 'web-1     Ready    <none>   v1', ['web-1', 'v1', null]],
    [
      'may begin one sign before their column',
      'web-1    Ready             v1        10.0.0.1',
      ['web-1', 'v1', '10.0.0.1'],
    ],
    [
      'may run over their column',
      'a-very-long-web-1   Ready   v1        10.0.0.1',
      ['a-very-long-web-1', 'v1', '10.0.0.1'],
    ],
    [
      'that are too many stay in the last column',
      'web-1     Ready    <none>   v1        10.0.0.1  10.0.0.2',
      ['web-1', 'v1', '10.0.0.2'],
    ],
  ] as const)
    test(title, () => {
      const [name, kubeletVersion, internalIp] = cells;
      assert.deepEqual(rowOf(HEADER, row), { name, kubeletVersion, internalIp });
    });
});

describe('kubectl get events', () => {
  const EVENTS = `LAST SEEN   TYPE      REASON    OBJECT       MESSAGE
5m          Warning   Failed    node/web-1   no room
2m (x3)     Normal    Pulled    pod/a        kubelet, web-2 pulled
<unknown>   Normal    Pulled    pod/a        words`;

  test('each row is a line as old as it says, about its Node or its kubelet', () => {
    const { said, sources, listings } = read(EVENTS);
    assert.deepEqual(
      said.map(({ line, when, about, source }) => [line, when?.ms, about?.value, source]),
      [
        [11, -300_000, 'web-1', 'event'],
        [12, -120_000, 'web-2', 'event'],
        [13, undefined, undefined, 'event'],
      ],
    );
    assert.ok(said.every(({ isState, host }) => !isState && host === null));
    assert.ok(said[0]?.text.endsWith('no room'));
    assert.deepEqual([sources, listings], [['event'], []]);
  });

  for (const header of ['LASTSEEN', 'FIRST SEEN', 'FIRSTSEEN', 'LAST SEEN'])
    test(`with a column ${header} is one`, () => {
      assert.deepEqual(
        read(`${header}   TYPE   OBJECT\n5m   Normal   node/a`).said.map(({ source }) => source),
        ['event'],
      );
    });

  test('of old versions has the kind and the name in columns', () => {
    const { said } = read(
      'LASTSEEN   FIRSTSEEN   NAME    KIND   TYPE\n5m         6m          web-1   Node   Normal',
    );
    assert.deepEqual(
      [said[0]?.about, said[0]?.when?.ms],
      [{ kind: 'node', value: 'web-1' }, -300_000],
    );
    const pod = read(
      'LASTSEEN   FIRSTSEEN   NAME    KIND   TYPE\n5m         6m          web-1   Pod    Normal',
    );
    assert.equal(pod.said[0]?.about, null);
  });

  for (const [object, text, machine] of [
    ['node/a', 'kubelet, b', 'a'],
    ['Node/a', '', 'a'],
    ['my/node/a', '', undefined],
    ['pod/a', 'kubelet, b', 'b'],
    ['pod/a', 'mykubelet, b', undefined],
    ['pod/a', 'b', undefined],
  ] as const)
    test(`of ${object} with "${text}" is about ${machine ?? 'no machine'}`, () => {
      assert.equal(machineOfEvent(object, text)?.value, machine);
    });
});

test('a column that only ends or begins like one of events makes none', () => {
  for (const header of ['MY LASTSEEN', 'LASTSEEN BY'])
    assert.deepEqual(read(`${header}   NAME\n5m   web`).sources, ['client-output']);
});

test('rows of any other table are lines of the source that is known', () => {
  const { said, sources, facts } = read('NAME   READY\nweb    0/1', 'kubelet');
  assert.deepEqual(
    said.map(({ text, line, source, isState }) => [text, line, source, isState]),
    [['web    0/1', 11, 'kubelet', false]],
  );
  assert.deepEqual([sources, facts], [['kubelet', 'client-output'], []]);
});

describe('kubectl get nodes -L', () => {
  test('a label that was asked for and has an empty cell is absent', () => {
    const command = '$ kubectl get nodes -L topology.kubernetes.io/zone,a/team';
    const shown = (above: string, ...rows: readonly string[]): unknown =>
      writtenBy((passage) => {
        const header = 'NAME   STATUS   AGE   VERSION   ZONE   TEAM';
        readTable(
          passage,
          { line: 10, above, header, rows },
          { source: 'unknown', isKnown: false },
        );
      }).facts.map(({ value }) => {
        const { labels, absentLabels } = value as KubeNode;
        return [labels, absentLabels];
      });
    const zone = 'topology.kubernetes.io/zone';
    const rows = [
      'a      Ready    5m    v1.30.4   a      b',
      'a-bcd      Ready    5m    v1.30.4          b',
    ];
    assert.deepEqual(shown(command, ...rows), [
      [{ [zone]: 'a', 'a/team': 'b' }, []],
      [{ 'a/team': 'b' }, [zone]],
    ]);
    assert.deepEqual(shown('', 'a      Ready    5m    v1.30.4'), [[{}, []]]);
    assert.deepEqual(shown(command, 'a  Ready  5m  v1.30.4'), [[{}, []]]);
  });
});

describe('kubectl get daemonsets', () => {
  test('each row tells how many pods are wanted, made and ready', () => {
    const { facts } = read(
      'NAME       DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE\naws-node   3         2         1       2            1           a=b             9d',
    );
    assert.deepEqual(
      facts.map(({ kind, extent, value }) => {
        const { name, status } = value as { name: string; status: Record<string, unknown> };
        const { desiredNumberScheduled, currentNumberScheduled, numberReady } = status;
        return [kind, extent, name, desiredNumberScheduled, currentNumberScheduled, numberReady];
      }),
      [['kube/DaemonSet', 'row', 'aws-node', 3, 2, 1]],
    );
  });
});
