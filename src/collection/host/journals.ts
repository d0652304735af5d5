import { excerptOf } from '../../evidence/redact.ts';
import type { HostRun } from '../../ports/host.ts';
import { AS_ROOT, documentOf, type HostItem, lossOf, lossOfError, wholeLines } from './document.ts';
import { type CommandPlan, SYSLOGS } from './plan.ts';
import { type Reach, refusal } from './reach.ts';
import { readFileItems } from './read.ts';

const BYTES_MAX = 4 * 1024 * 1024;
const VERSION_BYTES_MAX = 1024;
const TIMEOUT_MS = 8000;

/** journalctl says so to a user who is in none of the groups that may read the whole journal. */
const HIDDEN = /not seeing messages from other users|insufficient permissions/;

/** The journal of one unit; its syslog files where there is no journalctl. */
export async function readJournalItems(
  reach: Reach,
  plan: CommandPlan,
): Promise<readonly HostItem[]> {
  const locator = plan.argv.join(' ');
  try {
    const ran = await reach.run(plan.argv, TIMEOUT_MS, BYTES_MAX);
    const lines = ran.isCut ? wholeLines(ran.stdout) : ran.stdout;
    const items = hasEntries(lines) ? [documentOf(locator, plan.name, lines)] : [];
    return [...items, ...lossesOf(locator, ran, items.length > 0)];
  } catch (error) {
    const failure = refusal(error);
    return [lossOfError(failure.failure === 'not-found' ? 'journalctl' : locator, failure)];
  }
}

/** The lines of a syslog daemon, for a machine whose journal cannot be asked. */
export async function readSyslogItems(reach: Reach): Promise<readonly HostItem[]> {
  try {
    await reach.run(['journalctl', '--version'], TIMEOUT_MS, VERSION_BYTES_MAX);
    return [];
  } catch (error) {
    // A journal that hangs is as good as none; one that may not be read is told by its own task.
    if (!['not-found', 'timeout'].includes(refusal(error).failure)) return [];
    const items = await Promise.all(SYSLOGS.map((plan) => readFileItems(reach, plan)));
    return items.flat();
  }
}

/** True when there is a line that is not journalctl's own (`-- No entries --`). */
function hasEntries(bytes: Uint8Array): boolean {
  const head = new TextDecoder().decode(bytes.subarray(0, 4096));
  return head.split('\n').some((line) => line.trim() !== '' && !line.startsWith('-- '));
}

function lossesOf(locator: string, ran: HostRun, hasLines: boolean): readonly HostItem[] {
  if (HIDDEN.test(ran.stderr)) {
    const what = `This user cannot read the system journal (not in the group systemd-journal). Run: ${AS_ROOT}`;
    return [lossOf('journalctl', what)];
  }
  if (hasLines) return [];
  const said = ran.stderr.split('\n').find((line) => line.trim() !== '');
  if (said === undefined && ran.exitCode === 0) return [];
  const why = said === undefined ? `exit code ${ran.exitCode}.` : excerptOf(said, 200);
  return [
    lossOf(said === undefined ? locator : 'journalctl', `journalctl printed nothing: ${why}`),
  ];
}
