import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isoMs } from '../../../src/evidence/time.ts';
import { textsAt } from '../../../src/evidence/json.ts';
import type { Injected } from '../../../src/sim/faults/contract.ts';
import { inject, nodeIn, pass, stageWith } from './stage.ts';

const stage = stageWith(({ kind, podNetwork }) => kind === 'kubeadm' && podNetwork !== 'calico');
const MINUTE_MS = 60_000;

/** The offset of local time by the last line of the journal, and of klog's own stamp in it. */
function lastLine({ what }: Injected) {
  const machine = stage.simulated.hypervisor.machineOfNode(what.slice(0, what.indexOf(':')));
  assert.ok(machine !== null);
  const line =
    machine
      .journalText({ units: ['kubelet'] })
      .trimEnd()
      .split('\n')
      .at(-1) ?? '';
  const [, clock = '', offset = ''] = /^\S+T(\d\d:\d\d:\d\d)([+-]\d{4})/.exec(line) ?? [];
  const klog = / [IEW]\d{4} (\d\d:\d\d):\d\d\.\d{6} /.exec(line)?.[1] ?? '';
  return { stampMs: isoMs(/^\S+/.exec(line)?.[0] ?? ''), clock, offset, klog };
}

function annotationOf(injected: Injected): string | undefined {
  return textsAt(nodeIn(stage, injected) ?? {}, 'metadata.annotations')['example.com/serviced-at'];
}

describe('F74', () => {
  test('lets journald and the kubelet write local time, and UTC again', () => {
    const injected = inject(stage, 'F74', (what) => what.includes('330 min'));
    pass(stage, 1);
    const during = lastLine(injected);
    assert.equal(during.offset, '+0530');
    assert.equal(during.klog, during.clock.slice(0, 5));
    assert.ok(Math.abs((during.stampMs ?? 0) - stage.simulated.kernel.nowMs()) < 2 * MINUTE_MS);
    assert.match(annotationOf(injected) ?? '', /\+0530$/);
    injected.undo();
    pass(stage, 1);
    assert.equal(lastLine(injected).offset, '+0000');
    assert.equal(annotationOf(injected), undefined);
  });

  test('shifts local time by an hour in its course', () => {
    const injected = inject(stage, 'F74', (what) => what.includes('daylight'));
    const before = annotationOf(injected)?.slice(-5);
    pass(stage, 11);
    stage.simulated.hypervisor
      .machineOfNode(injected.what.slice(0, injected.what.indexOf(':')))
      ?.reboot();
    pass(stage, 2);
    const after = lastLine(injected).offset;
    assert.deepEqual(new Set([before, after]), new Set(['+0100', '+0200']));
    injected.undo();
  });

  test('writes the second that most clocks do not have', () => {
    const injected = inject(stage, 'F74', (what) => what.includes('leap'));
    assert.match(annotationOf(injected) ?? '', /:60\+0000$/);
    injected.undo();
  });
});
