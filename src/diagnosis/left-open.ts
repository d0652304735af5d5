import type { Instance } from '../evidence/aws/instance.ts';
import { factValues, isListed } from '../evidence/fact-values.ts';
import type { Observations } from '../evidence/observations.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from './document.ts';

/** They tell what became of the Node, and leave open what its kubelet does. */
const LEAVE_OPEN: ReadonlySet<string> = new Set([
  'node-heartbeat-lost',
  'node-deleted-by-other-actor',
]);

/** A machine whose own files may name what the APIs do not show. */
export interface OpenMachine {
  /** The Node through which its kubelet is asked; null where there is none. */
  readonly node: string | null;
  readonly instanceId: string | null;
}

function names({ role, confidence, cause }: Finding): boolean {
  return role === 'root' && confidence !== 'possible' && !LEAVE_OPEN.has(cause);
}

function isExplained({ findings }: SubjectReport): boolean {
  return findings.some((one) => names(one) || one.explainedBy !== null);
}

/**
 * Machines that are not usable and of which no cause is named; of those that were asked about, all
 * that do not work.
 */
export function leftOpen(
  { subjects }: Pick<DiagnosisDocument, 'subjects'>,
  observations: Observations,
  isAsked: boolean,
): readonly OpenMachine[] {
  const machines = subjects.filter(({ kind }) => kind === 'Machine');
  const open = machines.filter((one) =>
    isAsked ? one.verdict !== 'usable' : one.verdict === 'not-usable' && !isExplained(one),
  );
  return open.map((one) => ({
    node: isBehindNode(one, observations) ? one.node : null,
    instanceId: one.instanceId,
  }));
}

/**
 * The API server asks a kubelet by the Node, and finds it by its address, which another machine may
 * have got since.
 */
function isBehindNode({ node, instanceId }: SubjectReport, observations: Observations): boolean {
  const own = factValues(observations, 'kube/Node').find(({ name }) => name === node);
  if (own === undefined && isListed(observations, 'kube/Node')) return false;
  const address = own?.internalIp ?? null;
  if (address === null) return true;
  const there = factValues(observations, 'aws/instance').filter(
    (one) => one.PrivateIpAddress === address && isRunning(one),
  );
  return there.length === 0 || there.some((one) => (one.InstanceId ?? null) === instanceId);
}

function isRunning({ State }: Instance): boolean {
  return State?.Name === 'running';
}
