import { noticeReason, noticeText } from '../../domain/instances/notice.ts';
import { metadataGuard } from '../../domain/network/metadata-guard.ts';
import type { NodeProbe } from '../../ports/node-probe.ts';
import { PortError } from '../../ports/port-error.ts';
import type { MachineState } from './machine-state.ts';
import { askFresh } from './metadata-client.ts';
import { no, type ProbeTimes, type ProbeTools, proofOf, settled, unknown, yes } from './probe.ts';

/** What the machine's own network shows, looked at just now or by another program. */
export type MachineView = () => Promise<MachineState>;

/** What another program saw longer ago is not used, ms. */
const STATE_MS_MAX = 30_000;

/** The state, or why there is none that can be used. */
export async function currentState(
  { clock }: ProbeTools,
  view: MachineView,
): Promise<MachineState | PortError> {
  const state = await settled(view());
  if (state instanceof PortError) return state;
  const ageMs = clock.nowMs() - state.atMs;
  if (Math.abs(ageMs) <= STATE_MS_MAX) return state;
  const message = `The machine's network was last seen ${Math.round(ageMs / 1000)} s ago.`;
  return new PortError({ failure: 'unavailable', message });
}

export interface MetadataExpectation {
  /** The machine's role where it is known beforehand; null to take what the machine says. */
  readonly nodeRole: string | null;
  readonly isSilenceExpected: boolean;
}

/** The machine's role, as it was given or seen. */
export function nodeRoleOf(
  given: string | null,
  state: MachineState | PortError,
): string | null | undefined {
  if (given !== null) return given;
  return state instanceof PortError ? undefined : state.nodeRole;
}

/** Whether pods cannot reach the machine's own identity, on new connections or old ones. */
export function metadataProbe(
  tools: ProbeTools,
  view: MachineView,
  expected: MetadataExpectation,
  times: ProbeTimes,
): NodeProbe {
  return proofOf('MetadataGuarded', times, async () => {
    // A connection may be made while the rules are read: what was asked last is the newest.
    const state = await currentState(tools, view);
    const fresh = await askFresh(tools.host, tools.clock);
    const guarded = metadataGuard({
      fresh,
      path: state instanceof PortError ? null : state.path,
      nodeRole: nodeRoleOf(expected.nodeRole, state),
      isSilenceExpected: expected.isSilenceExpected,
    });
    // Without the machine's rules and connections no guard is proven.
    if (guarded.answer !== 'yes' || !(state instanceof PortError)) return guarded;
    return unknown('MachineUnseen', `${state.message} ${guarded.message}`);
  });
}

/** Whether EC2 has announced the end of this machine. */
export function noticeProbe(tools: ProbeTools, view: MachineView, times: ProbeTimes): NodeProbe {
  return {
    ...proofOf('InterruptionNotice', times, async () => {
      const state = await currentState(tools, view);
      if (state instanceof PortError) return unknown('MachineUnseen', state.message);
      if (state.notices === null)
        return unknown('NoAnswer', 'Instance metadata did not say whether there is a notice.');
      const [first] = state.notices;
      if (first === undefined) return no('NoNotice', 'EC2 has announced nothing.');
      return yes(noticeReason(first), state.notices.map(noticeText).join(' '));
    }),
    says: 'notice',
  };
}
