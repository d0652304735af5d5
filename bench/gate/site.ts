/** An API server with an audit log, and the gates that are measured on it in turn. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESIDENT_NODE_FLAGS } from '../../src/manifests/node-flags.ts';
import { type Bench, openBench, type Program } from '../../test/real/bench.ts';
import { type ControlPlane, startControlPlane } from '../../test/real/control-plane.ts';
import { applyManifests } from '../../test/real/controller-manifests.ts';
import type { KubeObject } from '../../test/real/kube-client.ts';
import { untilServed } from '../../test/real/served.ts';
import { freePort } from '../../test/ports/free-port.ts';
import { ROOT } from '../place.ts';
import type { GateCase } from './cases.ts';
import { drive, type Report } from './driver.ts';

export const PACKED = join(ROOT, 'dist/rollcall.mjs');
const SHUT_FLOOR = join(ROOT, 'bench/gate/shut-floor.ts');
const GATES = '/apis/rollcall.dev/v1alpha1/nodegates';
const TAINT = 'readiness.k8s.io/gatebench';
const USER = 'rollcall-gate';
const FLOOR_USER = 'floor';
/** Only the requests that are counted, so that the log costs no gate more than another. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata', users: [USER, FLOOR_USER] }, { level: 'None' }],
};
const START_LOOKS_MAX = 1200;
const START_LOOK_MS = 50;

/** A gate that runs, and the file that says by which process. */
interface Contender {
  readonly user: string;
  readonly program: Program;
  readonly pidFile: string;
  /** What happens in the middle of a run; null for nothing. */
  readonly hook: string | null;
}

/** The shell's words, each in quotes. */
function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

export class GateBenchSite {
  readonly #gatebench: string;
  readonly #plane: ControlPlane;
  readonly #bench: Bench;
  readonly #audit: string;
  readonly #kubeconfigs: { readonly ours: string; readonly floor: string };
  readonly #extra: readonly string[];
  #runs = 0;

  private constructor(
    site: { readonly gatebench: string; readonly extra: readonly string[] },
    plane: ControlPlane,
    bench: Bench,
    kubeconfigs: { readonly ours: string; readonly floor: string },
  ) {
    this.#gatebench = site.gatebench;
    this.#extra = site.extra;
    this.#plane = plane;
    this.#bench = bench;
    this.#audit = join(bench.dir, 'audit.log');
    this.#kubeconfigs = kubeconfigs;
  }

  /**
   * @param extra flags of Node.js for our gate, such as `--cpu-prof`
   * @throws Error when a part does not come up; nothing is left running
   */
  static async open(gatebench: string, extra: readonly string[]): Promise<GateBenchSite> {
    const bench = openBench();
    const policy = join(bench.dir, 'audit-policy.json');
    writeFileSync(policy, JSON.stringify(AUDIT_POLICY));
    const apiServerFlags = [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${join(bench.dir, 'audit.log')}`,
    ];
    const plane = await startControlPlane({ apiServerFlags }).catch(async (error: unknown) => {
      await bench.close();
      throw error;
    });
    try {
      await applyManifests(plane.client, ['node-gates.yaml', 'gate-rbac.yaml'], USER);
      await untilServed(plane.client, GATES);
      const ours = await plane.writeKubeconfig(USER);
      const floor = await plane.writeKubeconfig(FLOOR_USER, ['system:masters']);
      return new GateBenchSite({ gatebench, extra }, plane, bench, { ours, floor });
    } catch (error) {
      await plane.stop();
      await bench.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#bench.close();
    await this.#plane.stop();
  }

  /** Runs a case with our gate, in a process of its own. */
  async ours(one: GateCase): Promise<Report> {
    await this.#layGate(one);
    return await this.#run(one, await this.#startOurs(one));
  }

  /** Runs a case with the floor, which opens or shuts a node as soon as it sees that it may. */
  async floor(one: GateCase): Promise<Report> {
    const name = this.#nextName('floor');
    const flags = ['--kubeconfig', this.#kubeconfigs.floor, '--taint', TAINT];
    const program = this.#bench.start({
      name,
      path: process.execPath,
      args:
        one.floor === 'shuts'
          ? [SHUT_FLOOR, '--gatebench', this.#gatebench, ...flags]
          : [join(this.#gatebench, 'floor.mjs'), ...flags, '--daemonsets', String(one.daemonSets)],
    });
    await said(program, /floor running/);
    const pidFile = this.#pidFile(name, program.pid);
    return await this.#run(one, { user: FLOOR_USER, program, pidFile, hook: null });
  }

  async #run(one: GateCase, contender: Contender): Promise<Report> {
    try {
      return await drive({
        gatebench: this.#gatebench,
        kubeconfig: this.#plane.kubeconfigPath,
        taint: TAINT,
        pidFile: contender.pidFile,
        audit: this.#audit,
        auditUser: contender.user,
        daemonSets: one.daemonSets,
        flags: one.flags,
        hook: contender.hook,
      });
    } finally {
      await this.#stop(contender);
    }
  }

  /** A gate that was killed and started again is another process, which only the file names. */
  async #stop({ program, pidFile }: Contender): Promise<void> {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    if (pid === program.pid) await endGently(pid);
    if (pid !== program.pid && existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
    await program.stop();
  }

  #nextName(kind: string): string {
    this.#runs++;
    return `${kind}-${this.#runs}`;
  }

  #pidFile(name: string, pid: number): string {
    const path = join(this.#bench.dir, `${name}.pid`);
    writeFileSync(path, String(pid));
    return path;
  }

  async #layGate({ daemonSets, dwell }: GateCase): Promise<void> {
    const { client } = this.#plane;
    const names = Array.from({ length: daemonSets }, (_, index) => `gb-ds-${index + 1}`);
    const spec = {
      nodeSelector: { matchLabels: { 'gatebench.local/run': 'y' } },
      taint: { key: TAINT, effect: 'NoSchedule' },
      proofs: names.map((name) => ({ daemonSet: { namespace: 'gatebench', name } })),
      dwell,
    };
    const known = await client.find<KubeObject>(`${GATES}/gatebench`);
    if (known !== null) await client.patch(`${GATES}/gatebench`, { spec });
    else
      await client.create(GATES, {
        apiVersion: 'rollcall.dev/v1alpha1',
        kind: 'NodeGate',
        metadata: { name: 'gatebench' },
        spec,
      });
  }

  async #startOurs({ fault }: GateCase): Promise<Contender> {
    const name = this.#nextName('gate');
    const proxy = fault === 'silence' ? await this.#startProxy() : null;
    const env = {
      KUBECONFIG: proxy?.kubeconfig ?? this.#kubeconfigs.ours,
      AWS_EC2_METADATA_DISABLED: 'true',
      // As the Downward API gives it: a container that is started again is the same holder.
      POD_UID: name,
    };
    const flags = ['controller', '--only', 'gate', '--listen', '127.0.0.1:0'];
    const args = [...RESIDENT_NODE_FLAGS, ...this.#extra, PACKED, ...flags];
    const program = this.#bench.start({ name, path: process.execPath, args, env });
    await said(program, / leads as /);
    const pidFile = this.#pidFile(name, program.pid);
    const again = `${Object.entries(env)
      .map(([key, value]) => `${key}=${quoted([value])}`)
      .join(' ')} exec ${quoted([process.execPath, ...args])}`;
    const killed = `kill -9 ${program.pid}; echo $$ > ${quoted([pidFile])}; ${again}`;
    const hooks = { none: null, silence: `kill -USR2 ${proxy?.pid ?? 0}`, kill: killed };
    return { user: USER, program, pidFile, hook: hooks[fault] };
  }

  /** A relay that can swallow what the connections open at a moment say from then on. */
  async #startProxy(): Promise<{ readonly kubeconfig: string; readonly pid: number }> {
    const port = await freePort();
    const target = new URL(this.#plane.url).port;
    const { pid } = this.#bench.start({
      name: this.#nextName('relay'),
      path: process.execPath,
      args: [join(this.#gatebench, 'cutproxy.mjs'), String(port), target],
    });
    const text = readFileSync(this.#kubeconfigs.ours, 'utf8');
    const kubeconfig = join(this.#bench.dir, `relay-${port}.kubeconfig`);
    const relayed = text.replaceAll(this.#plane.url, `https://127.0.0.1:${port}`);
    writeFileSync(kubeconfig, relayed, { mode: 0o600 });
    await sleep(START_LOOK_MS * 10);
    return { kubeconfig, pid };
  }
}

/** Lets a program give back its Lease, for which the next one would wait, and write its profile. */
async function endGently(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (let looks = 0; looks < START_LOOKS_MAX && existsSync(`/proc/${pid}`); looks++)
    await sleep(START_LOOK_MS);
}

/** @throws Error with what the program said instead */
async function said(program: Program, wanted: RegExp): Promise<void> {
  for (let looks = 0; looks < START_LOOKS_MAX; looks++) {
    if (wanted.test(program.log())) return;
    await sleep(START_LOOK_MS);
  }
  throw new Error(`${program.name} did not start:\n${program.log()}`);
}
