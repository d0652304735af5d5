import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Example, parseExample } from './example.ts';
import { judgeExample } from './judge.ts';

const NODE = 'ip-10-0-31-7.eu-west-1.compute.internal';

function kubelet(time: string, words: string): string {
  return `Oct 03 ${time} ${NODE} kubelet[3011]: E1003 ${time}.100482    3011 ${words}`;
}

const REFUSED = Array.from({ length: 10 }, (_, index) =>
  kubelet(
    `14:02:1${index}`,
    `kubelet_node_status.go:92] "Unable to register node with API server" err="Unauthorized" node="${NODE}"`,
  ),
);
const DENIED = kubelet(
  '14:03:00',
  `kubelet_node_status.go:92] "Unable to register node with API server" err="nodes \\"${NODE}\\" is forbidden: node \\"ip-10-0-31-7.corp.example\\" is not allowed to modify node \\"${NODE}\\"" node="${NODE}"`,
);
const READY = kubelet(
  '14:04:00',
  'kubelet_node_status.go:493] "Fast updating node status as it just became ready"',
);
const QUIET = Array.from({ length: 10 }, (_, index) =>
  kubelet(`14:02:1${index}`, `scope.go:117] "RemoveContainer" containerID="${index}b1c"`),
);

function clearExample(lines: readonly string[], header = ''): Example {
  const text = `source: composed\n${header}-- kubelet.log --\n${lines.join('\n')}\n`;
  return {
    stage: 'authenticated',
    cause: 'aws-auth-missing',
    name: 'clear-planted.txt',
    expect: 'clear',
    ...parseExample(text),
  };
}

async function faults(example: Example): Promise<string> {
  return (await judgeExample(example)).join('\n');
}

describe('what a clear example must show', () => {
  test('a later success clears it', async () => {
    assert.equal(await faults(clearExample([...REFUSED, READY])), '');
  });

  test('trouble without what rules the cause out leaves it a candidate', async () => {
    assert.match(await faults(clearExample(REFUSED)), /stays a candidate[\s\S]*cannot say/);
  });

  test('lines without content rule nothing out', async () => {
    assert.match(await faults(clearExample(QUIET)), /nothing in it rules the cause out/);
  });

  test('rejects an undeclared cause', async () => {
    assert.match(await faults(clearExample([...QUIET, DENIED])), /is found in it; if that is/);
  });

  test('a cause that is declared must be there, and be a look-alike', async () => {
    const absent = clearExample([...REFUSED, READY], 'instead: access-entry-missing\n');
    assert.match(await faults(absent), /its headline is null, not access-entry-missing/);
    const stranger = clearExample([...REFUSED, READY], 'instead: pause-image-garbage-collected\n');
    assert.match(await faults(stranger), /name it in page\.notThis/);
    const unheard = clearExample([...REFUSED, READY], 'instead: no-such-cause\n');
    assert.match(await faults(unheard), /no-such-cause is no cause/);
  });

  test('only a clear example declares another cause', async () => {
    const example = clearExample(REFUSED, 'instead: access-entry-missing\n');
    assert.match(await faults({ ...example, expect: 'unknown' }), /only a clear example/);
  });
});
