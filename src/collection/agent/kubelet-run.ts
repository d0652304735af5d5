import { kubeletRunReason } from '../../domain/nodes/kubelet-run.ts';
import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import { currentState, type MachineView } from './metadata.ts';
import { type ProbeTimes, type ProbeTools, proofOf, unknown, yes } from './probe.ts';

/** Which run of the kubelet the machine has; where none is seen, nothing is said of it. */
export function kubeletProbe(tools: ProbeTools, view: MachineView, times: ProbeTimes): NodeProbe {
  return proofOf('KubeletRuns', times, async () => {
    const state = await currentState(tools, view);
    if (state instanceof PortError) return unknown('MachineUnseen', state.message);
    const { kubeletStartedMs: startedMs } = state;
    if (startedMs === null)
      return unknown('KubeletUnseen', 'No process of this machine is called kubelet.');
    const text = `The kubelet runs since ${(startedMs / 1000).toFixed(2)} s after the boot.`;
    return yes(kubeletRunReason(startedMs), text);
  });
}
