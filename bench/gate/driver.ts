/** Runs the driver of gatebench, which makes nodes and watches their taints, and reads what it says. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Quantiles in ms. */
export interface Stats {
  readonly n: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly max?: number;
}

/** Requests of one user from the audit log. */
export interface Requests {
  readonly total: number;
  readonly perNode: number;
  readonly byKind: Readonly<Record<string, number>>;
}

/** What the driver prints, as far as it is used. */
export interface Report {
  readonly nodes: number;
  readonly opened: number;
  readonly openedBeforeProof: number;
  readonly everOpened?: number;
  readonly latencyMs?: { readonly fromProofSeen: Stats };
  readonly readdMs?: Stats;
  readonly birthToClosedMs?: Stats;
  readonly resources: readonly {
    readonly label: string;
    readonly rssMiB?: number;
    readonly peakMiB?: number;
    readonly cpuS?: number;
  }[];
  readonly requests?: Requests;
  readonly requestsFlipPhase?: Requests;
}

export interface DriverRun {
  /** Where gatebench.mjs is. */
  readonly gatebench: string;
  readonly kubeconfig: string;
  readonly taint: string;
  readonly pidFile: string;
  readonly audit: string;
  readonly auditUser: string;
  readonly daemonSets: number;
  readonly flags: readonly string[];
  /** A command for the middle of the run; null for none. */
  readonly hook: string | null;
}

/** A run that takes longer is ended, ms. */
const RUN_MS_MAX = 8 * 60_000;
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** @throws Error when it fails or takes too long */
export async function drive(options: DriverRun): Promise<Report> {
  const { gatebench, kubeconfig, taint, pidFile, audit, auditUser, daemonSets } = options;
  const args = [
    '--kubeconfig',
    kubeconfig,
    '--taint',
    taint,
    '--pid-file',
    pidFile,
    '--audit',
    audit,
    '--audit-user',
    auditUser,
    '--daemonsets',
    String(daemonSets),
    ...(options.hook === null ? [] : ['--hook', options.hook]),
    ...options.flags,
  ];
  const { stdout } = await run(process.execPath, [join(gatebench, 'gatebench.mjs'), ...args], {
    timeout: RUN_MS_MAX,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return JSON.parse(stdout) as Report;
}
