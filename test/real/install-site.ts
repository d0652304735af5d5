/** An installation on a real API server: by Helm or by `rollcall install`, and its accounts. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type JsonObject, listAt, textAt, textsAt } from '../../src/evidence/json.ts';
import { endOf, rollcall, type Run, startRollcall } from '../live/rollcall.ts';
import { until } from './bench.ts';
import type { ControlPlane } from './control-plane.ts';
import { partPath } from './parts.ts';

const run = promisify(execFile);
const OUTPUT_MAX = 16 * 1024 * 1024;

export interface Rule {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

export class InstallSite {
  readonly plane: ControlPlane;
  #count = 0;

  constructor(plane: ControlPlane) {
    this.plane = plane;
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const all = ['--kubeconfig', this.plane.kubeconfigPath, ...args];
    return (await run(partPath('kubectl'), all, { maxBuffer: OUTPUT_MAX })).stdout;
  }

  file(name: string, content: unknown): string {
    const path = join(this.plane.dir, `${this.#count++}-${name}`);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  /** Has the API server check objects and store none. */
  async dryRun(objects: readonly JsonObject[]): Promise<void> {
    const list = { apiVersion: 'v1', kind: 'List', items: objects };
    const path = this.file('objects.json', list);
    await this.kubectl('apply', '--server-side', '--dry-run=server', '-f', path);
  }

  async rollcall(...args: readonly string[]): Promise<Run> {
    return await rollcall([...args, '--kubeconfig', this.plane.kubeconfigPath], {});
  }

  async get(...args: readonly string[]): Promise<JsonObject> {
    return JSON.parse(await this.kubectl('get', ...args, '-o', 'json')) as JsonObject;
  }

  async names(kind: string): Promise<readonly string[]> {
    const { items } = await this.get(kind, '-A', '-l', 'app.kubernetes.io/part-of=rollcall');
    return (items as readonly JsonObject[]).map((one) => textAt(one, 'metadata.name') ?? '');
  }

  async taintsOf(node: string): Promise<readonly string[]> {
    const taints = listAt(await this.get('node', node), 'spec.taints');
    const keys = taints.map((taint) => textAt(taint, 'key') ?? '');
    return keys.filter((key) => !key.startsWith('node.kubernetes.io/'));
  }

  async annotationsOf(node: string): Promise<readonly string[]> {
    return Object.keys(textsAt(await this.get('node', node), 'metadata.annotations'));
  }

  /** A kubeconfig with the token of an account, as its pods have it. */
  async kubeconfigOf(namespace: string, account: string): Promise<string> {
    const token = (await this.kubectl('-n', namespace, 'create', 'token', account)).trim();
    const { url, caPath } = this.plane;
    const context = { cluster: 'c', user: 'u' };
    return this.file(`${account}.kubeconfig`, {
      clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority': caPath } }],
      contexts: [{ name: 'c', context }],
      users: [{ name: 'u', user: { token } }],
      'current-context': 'c',
    });
  }

  /** Starts a program as its pod would run it: arguments of its manifest, token of its account. */
  async startAs(
    t: Pick<TestContext, 'after'>,
    namespace: string,
    account: string,
  ): Promise<() => string> {
    const deployment = await this.get('-n', namespace, 'deployment', account);
    const [container] = listAt(deployment, 'spec.template.spec.containers');
    const args = listAt(container, 'args').map(String);
    const local = args.map((one) => one.replace('0.0.0.0:8470', '127.0.0.1:0'));
    const kubeconfig = await this.kubeconfigOf(namespace, account);
    const env = { HOME: this.plane.dir, AWS_EC2_METADATA_DISABLED: 'true' };
    const child = startRollcall([...local, '--kubeconfig', kubeconfig], env);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer | string) => {
        said += String(text);
      });
    const ended = endOf(child);
    t.after(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    return () => said;
  }

  /** Everything that an account may do in a namespace, as the API server answers. */
  async rulesOf(kubeconfig: string, namespace: string): Promise<readonly Rule[]> {
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      spec: { namespace },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
    const file = this.file('review.json', review);
    const args = ['--kubeconfig', kubeconfig, 'create', '--raw', path, '-f', file];
    const { stdout } = await run(partPath('kubectl'), args, { maxBuffer: OUTPUT_MAX });
    const answer = JSON.parse(stdout) as JsonObject;
    assert.equal(textAt(answer, 'status.incomplete'), 'false', stdout);
    return listAt(answer, 'status.resourceRules').flatMap(rulesIn);
  }
}

/** Rights that every account has. */
const EVERYONE = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

function rulesIn(rule: unknown): readonly Rule[] {
  const { verbs, apiGroups, resources } = rule as Record<string, readonly string[]>;
  return (apiGroups ?? []).flatMap((group) =>
    EVERYONE.has(group)
      ? []
      : (resources ?? []).flatMap((resource) =>
          (verbs ?? []).map((verb) => ({ verb, group, resource })),
        ),
  );
}

export function ruleText({ verb, group, resource }: Rule): string {
  return `${verb} ${group === '' ? resource : `${resource}.${group}`}`;
}

export async function untilSaid(said: () => string, what: RegExp): Promise<void> {
  await until(`${what}`, async () => (what.test(said()) ? true : null)).catch((error: unknown) => {
    throw new Error(said(), { cause: error });
  });
}
