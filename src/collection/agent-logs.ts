import type { LogTarget } from '../evidence/detail-target.ts';
import { machineLog } from '../readers/machine-log.ts';
import type { CollectedEvidence } from './document.ts';

/** The DaemonSet that prints lines of its machine's logs, by the manifest of the agent. */
const PRINTER = /^rollcall-agent-machine-/;
const HEAD = /^==> (?<file>\/var\/log\/[\w./-]{1,200}) <==$/;

/** True for a container whose log is that of its machine. */
export function printsMachineLogs({ pod }: LogTarget): boolean {
  return PRINTER.test(pod);
}

/** What the container printed of each file the last time; it prints again when that changes. */
export function machineLogsIn(text: string): ReadonlyMap<string, string> {
  const byFile = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    const file = HEAD.exec(line)?.groups?.['file'];
    if (file === undefined) {
      lines.push(line);
      continue;
    }
    lines = [];
    byFile.set(file, lines);
  }
  return new Map([...byFile].map(([file, all]) => [file, all.join('\n').trim()]));
}

/** Adds the logs of a machine as its agent printed them. */
export function addMachineLogs(
  { namespace, pod, container, node }: LogTarget,
  text: string,
  evidence: Pick<CollectedEvidence, 'add'>,
): void {
  for (const [file, printed] of machineLogsIn(text))
    evidence.add({
      name: `kubernetes/agent-logs/${pod}_${file.slice(1).replaceAll('/', '_')}.json`,
      locator: `kubectl -n ${namespace} logs ${pod} -c ${container}`,
      content: machineLog({ node, instanceId: null, file, unit: null, text: printed }),
    });
}
