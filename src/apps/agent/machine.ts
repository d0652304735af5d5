import { openHost } from '../../adapters/host/open.ts';
import { replaceFile } from '../../adapters/host/write-file.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { staySmall } from '../../adapters/system/memory.ts';
import { decidingLines, decidingText } from '../../collection/agent/deciding-lines.ts';
import { kubeletFinder } from '../../collection/agent/kubelet-finder.ts';
import { lookAtMachine, machineStateText } from '../../collection/agent/machine-state.ts';
import { redact } from '../../evidence/redact.ts';
import { PortError } from '../../ports/port-error.ts';
import { pause } from '../../runtime/abort.ts';
import { untilSignal } from './until-signal.ts';

export interface MachineRun {
  /** The file that is written. */
  readonly file: string;
  readonly root: string | null;
  /** The machine's /var/log; null to read no logs. */
  readonly logs: string | null;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const STATE_MS = 5_000;
const LOGS_MS = 60_000;

/** Keeps what only the machine's network shows in a file, and prints what its logs decide. */
export async function runMachine(run: MachineRun): Promise<void> {
  staySmall();
  await untilSignal(async (signal) => {
    await Promise.all([keepState(run, signal), run.logs === null ? null : tellLogs(run, signal)]);
  });
}

async function keepState({ file, root, err }: MachineRun, signal: AbortSignal): Promise<void> {
  const host = openHost(systemClock);
  const findKubelet = kubeletFinder();
  let failure = '';
  while (!signal.aborted) {
    try {
      const state = await lookAtMachine({ host, root }, systemClock.nowMs(), findKubelet);
      await replaceFile(file, machineStateText(state));
      failure = '';
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      if (error.message !== failure) err(`${redact(error.message)}\n`);
      failure = error.message;
    }
    await pause(systemClock, STATE_MS, signal);
  }
}

/** Printed when it has changed: whoever may read this container's log may read it. */
async function tellLogs({ logs, out }: MachineRun, signal: AbortSignal): Promise<void> {
  const host = openHost(systemClock);
  let told = '';
  while (!signal.aborted) {
    const text = decidingText(await decidingLines(host, logs ?? ''));
    if (text !== told && text !== '') out(text);
    told = text;
    await pause(systemClock, LOGS_MS, signal);
  }
}
