/** Nodes, DaemonSets and Pods on a real API server, and the gate controller that looks at them. */
import type { TestContext } from 'node:test';
import { type JsonObject, listAt, textAt, textsAt } from '../../src/evidence/json.ts';
import { startRollcall } from '../live/rollcall.ts';
import { until } from './bench.ts';
import type { ControlPlane } from './control-plane.ts';
import { type KubeObject, KubeRefusal } from './kube-client.ts';

const NODES = '/api/v1/nodes';
const SYSTEM = '/api/v1/namespaces/kube-system';
const DAEMON_SETS = '/apis/apps/v1/namespaces/kube-system/daemonsets';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

/** How the gate controller runs in a test. */
export interface RunningGate {
  readonly said: () => string;
  readonly metrics: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

/** A kind is refused until its storage is there. */
function nullIfRefused(error: unknown): null {
  if (error instanceof KubeRefusal) return null;
  throw error;
}

/** What a test of gates does to a cluster. */
export class GateSite {
  readonly #plane: ControlPlane;
  readonly #kubeconfig: string;
  #probes = 0;

  /** @param kubeconfig whose rights the gate has; those of `admin` when it is not given */
  constructor(plane: ControlPlane, kubeconfig = plane.kubeconfigPath) {
    this.#plane = plane;
    this.#kubeconfig = kubeconfig;
  }

  async create(path: string, object: object): Promise<JsonObject> {
    return (await this.#plane.client.create<KubeObject>(path, object)) as unknown as JsonObject;
  }

  async patch(path: string, change: object): Promise<JsonObject> {
    return (await this.#plane.client.patch<KubeObject>(path, change)) as unknown as JsonObject;
  }

  async get(path: string): Promise<JsonObject> {
    return (await this.#plane.client.get(path)) as unknown as JsonObject;
  }

  /** Defines a kind and waits until it is served. */
  async define(definition: JsonObject, path: string): Promise<void> {
    await this.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await until(`${path} to be served`, async () =>
      this.#plane.client.get<KubeObject>(path).catch(nullIfRefused),
    );
  }

  /** What every namespace with Pods has in a cluster with all its controllers. */
  async openNamespace(): Promise<void> {
    await this.create(`${SYSTEM}/serviceaccounts`, { metadata: { name: 'default' } });
  }

  async node(
    name: string,
    { labels = {}, annotations = {}, taints = [] }: NodeParts = {},
  ): Promise<void> {
    await this.create(NODES, { metadata: { name, labels, annotations }, spec: { taints } });
  }

  async setCondition(name: string, type: string, status: string): Promise<void> {
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const node = await this.get(`${NODES}/${name}`);
    const others = listAt(node, 'status.conditions').filter((one) => textAt(one, 'type') !== type);
    const condition = {
      type,
      status,
      reason: 'Test',
      message: '',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    await this.patch(`${NODES}/${name}/status`, { status: { conditions: [...others, condition] } });
  }

  async setTaints(name: string, taints: readonly Taint[]): Promise<void> {
    await this.patch(`${NODES}/${name}`, { spec: { taints } });
  }

  async setLabels(name: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.patch(`${NODES}/${name}`, { metadata: { labels } });
  }

  /** `key:effect` of each taint but those of Kubernetes itself. */
  async taints(name: string): Promise<readonly string[]> {
    const node = await this.get(`${NODES}/${name}`);
    return listAt(node, 'spec.taints')
      .map((one) => `${textAt(one, 'key')}:${textAt(one, 'effect')}`)
      .filter((one) => !one.startsWith('node.kubernetes.io/'))
      .toSorted();
  }

  async annotations(name: string): Promise<Readonly<Record<string, string>>> {
    return textsAt(await this.get(`${NODES}/${name}`), 'metadata.annotations');
  }

  /** Waits until the node has these taints and no others but those of Kubernetes itself. */
  async untilTaints(name: string, wanted: readonly string[], gate?: RunningGate): Promise<void> {
    let seen: readonly string[] = [];
    await until(`taints of ${name}`, async () => {
      seen = await this.taints(name);
      return seen.join() === wanted.toSorted().join() ? true : null;
    }).catch((error: unknown) => {
      const said = gate === undefined ? '' : gate.said();
      throw new Error(`${name} has [${seen.join(' ')}], not [${wanted.join(' ')}]\n${said}`, {
        cause: error,
      });
    });
  }

  /** @returns its UID */
  async daemonSet(
    name: string,
    nodeSelector: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const labels = { app: name };
    const template = {
      metadata: { labels },
      spec: {
        nodeSelector,
        containers: [{ name: 'main', image: 'example.org/main' }],
        tolerations: [{ operator: 'Exists' }],
      },
    };
    const made = await this.create(DAEMON_SETS, {
      metadata: { name },
      spec: { selector: { matchLabels: labels }, template },
    });
    return textAt(made, 'metadata.uid') ?? '';
  }

  async removeDaemonSet(name: string): Promise<void> {
    await this.#plane.client.remove(`${DAEMON_SETS}/${name}`);
  }

  /** A Pod of a DaemonSet that is bound to a node and has no status yet. */
  async daemonPod(
    set: string,
    uid: string,
    nodeName: string,
    name = `${set}-${nodeName}`,
  ): Promise<void> {
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: set, uid, controller: true };
    await this.create(`${SYSTEM}/pods`, {
      metadata: { name, labels: { app: set }, ownerReferences: [owner] },
      spec: { nodeName, containers: [{ name: 'main', image: 'example.org/main' }] },
    });
  }

  async setPodReady(name: string, isReady: boolean): Promise<void> {
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: now };
    const state = { running: { startedAt: now } };
    const container = {
      name: 'main',
      image: 'x',
      imageID: 'x',
      ready: isReady,
      restartCount: 0,
      state,
    };
    await this.patch(`${SYSTEM}/pods/${name}/status`, {
      status: {
        phase: 'Running',
        startTime: now,
        conditions: [ready],
        containerStatuses: [container],
      },
    });
  }

  /** Asks for the deletion of a Pod, which a kubelet that is not there never finishes. */
  async removePod(name: string): Promise<void> {
    await this.#plane.client.remove(`${SYSTEM}/pods/${name}`);
  }

  /** `reason: message` of the Events of a node. */
  async events(node: string): Promise<readonly string[]> {
    const all = await this.#plane.client.list<KubeObject>(
      `/api/v1/events?fieldSelector=involvedObject.name%3D${node}`,
    );
    return all.map((one) => {
      const event = one as unknown as JsonObject;
      return `${textAt(event, 'reason')}: ${textAt(event, 'message')}`;
    });
  }

  async untilEvent(node: string, wanted: RegExp): Promise<string> {
    return until(`an Event of ${node} like ${wanted}`, async () => {
      return (await this.events(node)).find((one) => wanted.test(one)) ?? null;
    });
  }

  /** Waits until the gate has handled a change that came after all others: it opens a node. */
  async untilHandled(gate: RunningGate): Promise<void> {
    this.#probes++;
    const name = `probe-${this.#probes}`;
    const key = 'nidhogg.uswitch.com/kube-system.never';
    await this.node(name, { taints: [{ key, effect: 'NoSchedule' }] });
    await this.untilTaints(name, [], gate);
  }

  /** Starts `rollcall controller --only gate` and waits until it leads. */
  async startGate(t: Pick<TestContext, 'after'>, ...args: readonly string[]): Promise<RunningGate> {
    const words = ['controller', '--only', 'gate', '--listen', '127.0.0.1:0', ...args];
    return await this.startAs(t, words);
  }

  /** Starts a gate by these words and waits until it leads. */
  async startAs(t: Pick<TestContext, 'after'>, words: readonly string[]): Promise<RunningGate> {
    const env = { KUBECONFIG: this.#kubeconfig, AWS_EC2_METADATA_DISABLED: 'true' };
    const child = startRollcall(words, env);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (text: Buffer | string) => {
        said += String(text);
      });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      await ended;
    };
    t.after(() => child.kill('SIGKILL'));
    await until('the gate to lead', async () => (/ leads as /.test(said) ? true : null)).catch(
      (error: unknown) => {
        throw new Error(said, { cause: error });
      },
    );
    const port = /on port (\d+)/.exec(said)?.[1] ?? '';
    return {
      said: () => said,
      metrics: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      stop,
    };
  }
}
