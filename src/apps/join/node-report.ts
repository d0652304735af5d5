import { kubeClient } from '../../adapters/kubernetes/client.ts';
import { loadKubeTarget } from '../../adapters/kubernetes/kubeconfig.ts';
import { systemKubeEnvironment } from '../../adapters/kubernetes/system-environment.ts';
import { kubeWriter } from '../../adapters/kubernetes/writes.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { decide } from '../../controllers/node-reports/decide.ts';
import {
  type KnownReport,
  NODE_REPORTS,
  readReport,
  reportName,
} from '../../controllers/node-reports/report.ts';
import type { RollCallRow } from '../../diagnosis/roll-call/document.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import { perform, type PerformTools } from '../../runtime/perform.ts';

/** It is made first, and gets its status then: the API server takes both only apart. */
const WRITES = 2;

/**
 * Writes a machine's row to its NodeReport, as the controller does.
 *
 * @param kubeconfig of somebody who may get and create NodeReports, and patch their status
 * @returns why it was not written; null when it was
 */
export async function writeNodeReport(
  kubeconfig: string,
  row: RollCallRow,
): Promise<string | null> {
  const name = reportName(row);
  if (name === null) return 'Neither an instance nor a Node is known after which it is named.';
  try {
    const environment = systemKubeEnvironment(systemClock);
    const target = await loadKubeTarget(environment, { kubeconfig });
    const api = kubeClient(target, { environment, clock: systemClock });
    const writes = kubeWriter(target, { environment, clock: systemClock });
    try {
      const cluster = api.server;
      return await written(name, row, { api, writes, recorder: null, clock: systemClock, cluster });
    } finally {
      await Promise.all([api.close(), writes.close()]);
    }
  } catch (error) {
    if (error instanceof PortError) return error.message;
    throw error;
  }
}

async function written(
  name: string,
  row: RollCallRow,
  tools: PerformTools,
): Promise<string | null> {
  for (let round = 0; round < WRITES; round++) {
    const known = await knownReport(tools.api, name);
    const [action] = decide({
      reports: new Map(known === null ? [] : [[name, known]]),
      rows: [row],
      areWhole: false,
      nowMs: systemClock.nowMs(),
      goneForMs: () => 0,
      keepMs: 0,
      actionsMax: 1,
    });
    if (action === undefined) return null;
    const { outcome, why } = await perform(action, tools, { isDryRun: false });
    if (outcome !== 'done') return why;
  }
  return null;
}

async function knownReport(api: Pick<KubeApi, 'get'>, name: string): Promise<KnownReport | null> {
  try {
    return readReport(await api.get(NODE_REPORTS, { name, namespace: null }));
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}
