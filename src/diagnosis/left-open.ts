import type { Instance } from '../evidence/aws/instance.ts';
import { factValues } from '../evidence/fact-values.ts';
import type { Observations } from '../evidence/observations.ts';
import type { DiagnosisDocument, Finding, SubjectReport } from './document.ts';

/** It tells that the kubelet is silent, and leaves open why. */
const SHOWS_SILENCE = 'node-heartbeat-lost';

/** A machine whose own files may name what the APIs do not show. */
export interface OpenMachine {
  /** The Node through which its kubelet is asked; null where there is none. */
  readonly node: string | null;
  readonly instanceId: string | null;
}

function names({ role, confidence, cause }: Finding): boolean {
  return role === 'root' && confidence !== 'possible' && cause !== SHOWS_SILENCE;
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
    node: isOthersAddress(one, observations) ? null : one.node,
    instanceId: one.instanceId,
  }));
}

/** The API server finds a kubelet by its address, which another machine may have got since. */
function isOthersAddress({ node, instanceId }: SubjectReport, observations: Observations): boolean {
  const own = factValues(observations, 'kube/Node').find(({ name }) => name === node);
  const address = own?.internalIp ?? null;
  if (address === null) return false;
  const there = factValues(observations, 'aws/instance').filter(
    (one) => one.PrivateIpAddress === address && isRunning(one),
  );
  return there.length > 0 && there.every((one) => (one.InstanceId ?? null) !== instanceId);
}

function isRunning({ State }: Instance): boolean {
  return State?.Name === 'running';
}
