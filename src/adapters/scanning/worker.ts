/** The thread that reads logs while the main one unpacks them. */
import { parentPort, workerData } from 'node:worker_threads';
import { LogReader } from '../../readers/log/log-reader.ts';
import { compileSigns } from '../../readers/sign-table.ts';
import type { ScanReply, ScanRequest, ScanSetting } from './messages.ts';

const { rows, buffers } = workerData as ScanSetting;
const table = compileSigns(rows);
let reader: LogReader | null = null;

function read({ buffer, usedBytes, likely }: ScanRequest): ScanReply {
  reader ??= new LogReader(table, likely);
  const bytes = buffer === null ? undefined : buffers[buffer];
  if (bytes !== undefined) {
    reader.push(bytes.subarray(0, usedBytes));
    return { buffer, findings: null };
  }
  const findings = reader.end();
  reader = null;
  return { buffer: null, findings };
}

parentPort?.on('message', (request: ScanRequest) => {
  parentPort?.postMessage(read(request), []);
});
parentPort?.postMessage({ buffer: null, findings: null } satisfies ScanReply, []);
