import { createWatchPrinter } from '../src/apps/cli/commands/status.ts';
import type { CliContext } from '../src/apps/cli/context.ts';
import { readStatusArguments } from '../src/apps/cli/table/status-arguments.ts';
import { runFast } from '../src/apps/lab/drive.ts';
import { loadScenario } from '../src/apps/lab/load.ts';
import { openPlay } from '../src/apps/lab/play.ts';
import { observeCluster } from '../src/apps/sim/observe-cluster.ts';
import { svg } from './generate/picture.ts';

const STORY = 'joined-and-was-gone';
const COLUMNS = 112;
const LINES = 24;
const LOOK_EVERY_MS = 5_000;
/** One machine was deleted for the second time, the other has just come back. */
const SHOWN_MS = 45_000;

interface Terminal {
  readonly write: (text: string) => void;
  readonly lines: () => readonly string[];
}

/** A terminal that knows what a watch writes: lines up, lines down, and a line anew. */
function createTerminal(): Terminal {
  const lines: string[] = Array.from({ length: LINES }, () => '');
  let at = 0;
  const step = (part: string): void => {
    const up = /^\u001b\[(\d+)A$/.exec(part)?.[1];
    if (up !== undefined) at -= Number(up);
    else if (part === '\n') at += 1;
    else if (part === '\u001b[2K') lines[at] = '';
    else if (part !== '\r') lines[at] += part;
  };
  return {
    write: (text) =>
      text
        .split(/(\r|\n|\u001b\[\d+A|\u001b\[2K)/)
        .filter(Boolean)
        .forEach(step),
    lines: () => lines.slice(0, lines.findLastIndex((line) => line !== '') + 1),
  };
}

function contextOf({ write }: Terminal): CliContext {
  return {
    out: write,
    err: () => undefined,
    stdin: async function* () {},
    isInputPiped: false,
    progress: () => undefined,
    colour: true,
    columns: COLUMNS,
    width: COLUMNS,
  };
}

/** The picture of a watch: what a terminal shows in the middle of a story, as docs/watch.svg. */
export async function watchPicture(): Promise<string> {
  const scenario = loadScenario(STORY);
  const terminal = createTerminal();
  const asked = readStatusArguments(['--watch']);
  const { simulated } = openPlay({
    scenario,
    seed: scenario.seed,
    nodes: null,
    onLine: () => undefined,
  });
  const { kernel } = simulated;
  const startMs = kernel.nowMs();
  const printer = createWatchPrinter(asked, contextOf(terminal), {
    height: () => LINES,
    nowMs: () => kernel.nowMs(),
  });
  let dueMs = startMs + LOOK_EVERY_MS;
  const rest = async (): Promise<void> => {
    if (kernel.nowMs() < dueMs) return;
    dueMs += LOOK_EVERY_MS;
    const { observations, document, nowMs } = await observeCluster(simulated, { cluster: null });
    printer.show({ observations, document, nowMs, notObservable: [] });
  };
  await runFast(kernel, startMs + SHOWN_MS, { rest });
  const command = '\u001b[2m$ rollcall status --watch\u001b[0m';
  return svg([command, '', ...terminal.lines()], COLUMNS);
}
