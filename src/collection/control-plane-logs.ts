import { type JsonObject, listAt, textAt } from '../evidence/json.ts';
import type { AwsSource } from './asking.ts';
import { type CollectedEvidence, refusalOf } from './document.ts';
import { inTime } from './in-time.ts';

/** What EKS writes down of one program, and which of its lines are asked for. */
interface PlannedLog {
  /** How names of its streams begin (EKS user guide, control plane logs). */
  readonly stream: string;
  /** null for all lines. */
  readonly pattern: string | null;
}

/** Of the audit log: who deleted Nodes, who changed aws-auth, and what Nodes were refused. */
const AUDIT =
  '{ ($.objectRef.resource = "nodes" && $.verb = "delete") || ' +
  '($.objectRef.name = "aws-auth" && ($.verb = "update" || $.verb = "patch" || $.verb = "delete")) || ' +
  '($.user.username = "system:node:*" && $.responseStatus.code >= 400) }';

const LOGS: readonly PlannedLog[] = [
  { stream: 'authenticator-', pattern: '?"access denied" ?"level=error" ?"level=warning"' },
  { stream: 'cloud-controller-manager-', pattern: null },
  { stream: 'kube-controller-manager-', pattern: null },
  { stream: 'kube-apiserver-audit-', pattern: AUDIT },
];

/** How far back: failures that go on repeat themselves within it. */
const BACK_MS = 30 * 60_000;
const PAGES_MAX = 3;
const LINES_PER_PAGE = 2000;
const CHARACTERS_MAX = 1024 * 1024;

/**
 * Reads what the control plane of an EKS cluster wrote to CloudWatch Logs. What is not allowed or
 * not turned on is told once, and costs no more.
 */
export async function collectControlPlaneLogs(
  source: AwsSource,
  cluster: string,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const group = `/aws/eks/${cluster}/cluster`;
  const startTime = source.clock.nowMs() - BACK_MS;
  const asked = { source, group, startTime, signal };
  const [first, ...others] = LOGS;
  // What is refused of one stream is refused of all.
  if (first === undefined || !(await collectOne(asked, first, cluster, evidence))) return;
  await Promise.all(others.map((log) => collectOne(asked, log, cluster, evidence)));
}

interface Asked {
  readonly source: AwsSource;
  readonly group: string;
  readonly startTime: number;
  readonly signal: AbortSignal;
}

/** @returns false when it was refused */
async function collectOne(
  asked: Asked,
  log: PlannedLog,
  cluster: string,
  evidence: CollectedEvidence,
): Promise<boolean> {
  const { source, signal } = asked;
  try {
    const lines = await inTime(linesOf(asked, log, evidence), signal, source.clock);
    const name = `aws/logs/${log.stream.slice(0, -1)}.log`;
    const content = lines.join('\n').slice(-CHARACTERS_MAX);
    if (content !== '') evidence.add({ name, locator: commandOf(asked, log), content });
    return true;
  } catch (error) {
    const { failure, permission, message } = refusalOf('logs:FilterLogEvents', error);
    const why = failure === 'not-found' ? turnedOff(cluster) : message;
    evidence.refuse({
      call: 'logs:FilterLogEvents',
      failure,
      permission,
      message: `Logs of the control plane (--control-plane-logs, permission logs:FilterLogEvents): ${why}`,
    });
    return false;
  }
}

function turnedOff(cluster: string): string {
  return (
    `cluster ${cluster} writes none; turn them on: aws eks update-cluster-config --name ${cluster} ` +
    `--logging '{"clusterLogging":[{"types":["authenticator","audit","controllerManager"],"enabled":true}]}'`
  );
}

function inputOf({ group, startTime }: Asked, { stream, pattern }: PlannedLog): JsonObject {
  return {
    logGroupName: group,
    logStreamNamePrefix: stream,
    startTime,
    limit: LINES_PER_PAGE,
    ...(pattern === null ? {} : { filterPattern: pattern }),
  };
}

async function linesOf(
  asked: Asked,
  log: PlannedLog,
  evidence: CollectedEvidence,
): Promise<readonly string[]> {
  const call = {
    service: 'logs',
    operation: 'FilterLogEvents',
    input: inputOf(asked, log),
  } as const;
  const lines: string[] = [];
  let pages = 0;
  for await (const page of asked.source.aws.pages(call, asked.signal)) {
    if (pages >= PAGES_MAX) {
      evidence.shorten(`pages of control plane logs beyond the first ${PAGES_MAX}`, 1);
      break;
    }
    pages += 1;
    const events = listAt(page, 'events');
    lines.push(...events.map((one) => (textAt(one, 'message') ?? '').trimEnd()));
  }
  return lines;
}

function commandOf({ group, startTime }: Asked, { stream }: PlannedLog): string {
  return `aws logs filter-log-events --log-group-name ${group} --log-stream-name-prefix ${stream} --start-time ${startTime}`;
}
