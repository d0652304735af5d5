import { shownBeginning } from '../../evidence/redact.ts';
import type { Host } from '../../ports/host.ts';
import { settled } from './probe.ts';
import { PortError } from '../../ports/port-error.ts';

/** Logs of programs that decide whether a machine is usable, below `/var/log`. */
export const MACHINE_LOGS: readonly string[] = [
  'messages',
  'syslog',
  'cloud-init-output.log',
  'aws-routed-eni/ipamd.log',
  'aws-routed-eni/plugin.log',
  'aws-routed-eni/network-policy-agent.log',
  'eks-pod-identity-agent/eks-pod-identity-agent.log',
  'cni.log',
  'calico/cni/cni.log',
];

/** Words that lines about trouble have, whoever wrote them. */
const TROUBLE =
  /\b(?:error|failed|failure|fatal|panic|denied|unauthori[sz]ed|forbidden|refused|timed out|timeout|unable to|cannot|no such|not found|insufficient|exhausted|expired|invalid|mismatch)\b|\b[EF]\d{4} \d\d:\d\d:\d\d/i;
/** Written at each start or each second, and decides nothing. */
const BACKGROUND = /audit\[|systemd-networkd|dhclient|amazon-ssm-agent/;
const TAIL_BYTES = 256 * 1024;
const LINES_MAX = 40;
const LINE_CHARS = 400;

export interface DecidingLines {
  /** `/var/log/messages` */
  readonly path: string;
  /** Oldest first, without secrets. */
  readonly lines: readonly string[];
}

/** The newest lines about trouble of each log of this machine that is there. */
export async function decidingLines(host: Host, folder: string): Promise<readonly DecidingLines[]> {
  const found: DecidingLines[] = [];
  for (const name of MACHINE_LOGS) {
    const bytes = await settled(host.readFile(`${folder}/${name}`, TAIL_BYTES));
    if (bytes instanceof PortError) continue;
    const lines = troubleIn(new TextDecoder().decode(bytes));
    if (lines.length > 0) found.push({ path: `/var/log/${name}`, lines });
  }
  return found;
}

/** Of lines that differ in numbers alone only the newest stays. */
function troubleIn(text: string): readonly string[] {
  const newest = new Map<string, string>();
  for (const line of text.split('\n')) {
    if (!TROUBLE.test(line) || BACKGROUND.test(line)) continue;
    const kind = line.slice(0, 2 * LINE_CHARS).replaceAll(/[\da-f]*\d[\da-f]*/gi, '0');
    newest.delete(kind);
    newest.set(kind, line);
  }
  return [...newest.values()].slice(-LINES_MAX).map((line) => shownBeginning(line, LINE_CHARS));
}

/** As `tail` prints several files, which every reader of pasted text knows. */
export function decidingText(all: readonly DecidingLines[]): string {
  return all.map(({ path, lines }) => `==> ${path} <==\n${lines.join('\n')}\n`).join('\n');
}
