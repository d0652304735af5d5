import type { JsonObject } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource, KubeSelection } from '../../ports/kube-api.ts';
import type { Random } from '../../ports/random.ts';
import type { WatchedCache } from '../../runtime/health/health.ts';
import { Reflector } from '../../runtime/reflector/reflector.ts';
import type { ReflectorLimits } from '../../runtime/reflector/reflector-options.ts';
import type { ReflectorChange } from '../../runtime/reflector/reflector-store.ts';
import { DaemonPods } from './daemon-pods.ts';
import { Feeds } from './feeds.ts';
import { proofsOf } from './judge.ts';
import { type NodeFacts, readNode } from './node-facts.ts';
import { NODES } from './plan.ts';
import type { GatePolicy, ObjectName, PolicyReading, TaintRelease } from './policy.ts';
import type { Looked, Surroundings } from './proofs/saying.ts';
import {
  type CsiNodeFacts,
  type DaemonPodFacts,
  type DaemonSetFacts,
  readCsiNode,
  readDaemonSet,
} from './workloads.ts';

export const DAEMON_SETS: KubeResource = {
  group: 'apps',
  version: 'v1',
  plural: 'daemonsets',
  kind: 'DaemonSet',
  isNamespaced: true,
};

export const CSI_NODES: KubeResource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  isNamespaced: false,
};

/** Objects of one kind that are policies. */
export interface PolicyKind {
  readonly resource: KubeResource;
  readonly read: (object: JsonObject) => PolicyReading;
  /** False while another program follows them; they are always followed when not given. */
  readonly isOn?: () => boolean;
}

export interface CachesOptions {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
  /** Times of what follows the cluster; the usual ones when not given. */
  readonly limits?: Partial<ReflectorLimits>;
  readonly policyKinds: readonly PolicyKind[];
  /** Policies that are not in the cluster, as those of a configuration file. */
  readonly fixed: readonly PolicyReading[];
  /** Something of this Node or around it changed. */
  readonly onNode: (name: string) => void;
  /** What every node's standing depends on changed: policies, or whether something can be read. */
  readonly onAll: () => void;
}

/** A status that was written makes no other policy. */
function isOtherReading({ type, value, previous }: ReflectorChange<PolicyReading>): boolean {
  return type !== 'updated' || JSON.stringify(value) !== JSON.stringify(previous);
}

/** Everything the gate looks at, as the API server has it. What no policy asks for is not watched. */
export class GateCaches implements Surroundings {
  readonly #options: CachesOptions;
  readonly #feeds: Feeds;
  readonly #nodes: Reflector<NodeFacts>;
  readonly #policies: readonly Reflector<PolicyReading>[];
  #daemonSets: Reflector<DaemonSetFacts> | null = null;
  #csiNodes: Reflector<CsiNodeFacts> | null = null;
  readonly #pods = new Map<string, DaemonPods>();
  #known: readonly GatePolicy[] = [];
  #isStale = true;
  #isTaking = false;
  #releases: readonly TaintRelease[] = [];

  constructor(options: CachesOptions) {
    this.#options = options;
    this.#feeds = new Feeds(options.clock, options.onAll);
    this.#nodes = this.#reflector(NODES, readNode, ({ key }) => options.onNode(key));
    this.#policies = options.policyKinds.map(({ resource, read }) =>
      this.#reflector(resource, read, (change) => {
        if (isOtherReading(change)) this.#takePolicies();
      }),
    );
  }

  /** Follows everything until the signal ends it. @throws what is a bug */
  async run(signal: AbortSignal): Promise<void> {
    this.#feeds.add('nodes', this.#nodes, 'basis');
    for (const [index, reflector] of this.#policies.entries())
      this.#feeds.add(
        this.#options.policyKinds[index]?.resource.plural ?? '',
        reflector,
        'policies',
      );
    this.#follow();
    await this.#feeds.run(signal);
  }

  /** True once what decisions are made of is listed; a kind of policy that is not installed has none. */
  isReady(): boolean {
    return this.#feeds.isListed();
  }

  /** Whether all that is relied on was confirmed within so many ms; what was not, is now. */
  isConfirmed(withinMs: number): boolean {
    return this.#feeds.isConfirmed(withinMs);
  }

  /** Reads a Node live, as its watch missed a change of it. */
  async refreshNode(name: string): Promise<void> {
    await this.#nodes.refresh({ name });
  }

  health(): readonly WatchedCache[] {
    return this.#feeds.health();
  }

  policies(): readonly GatePolicy[] {
    this.#readPolicies();
    return this.#known;
  }

  /** Taints that documents gave up. */
  releases(): readonly TaintRelease[] {
    this.#readPolicies();
    return this.#releases;
  }

  /** False for a policy of a kind that is not followed now, which may not be taken in yet. */
  isFollowed({ source }: GatePolicy): boolean {
    const kind = this.#options.policyKinds.find((one) => one.resource.kind === source.kind);
    return kind?.isOn?.() !== false;
  }

  readings(): readonly PolicyReading[] {
    const { fixed, policyKinds } = this.#options;
    const on = this.#policies.filter((_, index) => policyKinds[index]?.isOn?.() !== false);
    return [...fixed, ...on.flatMap((kind) => [...kind.values()])];
  }

  node(name: string): NodeFacts | undefined {
    return this.#nodes.get(name);
  }

  nodeNames(): readonly string[] {
    return [...this.#nodes.entries()].map(([name]) => name);
  }

  daemonSet({ namespace, name }: ObjectName): Looked<DaemonSetFacts> {
    return this.#feeds.looked(this.#daemonSets, `${namespace}/${name}`);
  }

  daemonSets(): Looked<readonly ObjectName[]> {
    const why = this.#feeds.whyUnknown(this.#daemonSets);
    if (why !== null) return { state: 'unknown', why };
    return { state: 'seen', value: [...(this.#daemonSets?.values() ?? [])] };
  }

  daemonPods(set: DaemonSetFacts, nodeName: string): Looked<readonly DaemonPodFacts[]> {
    const pods = this.#pods.get(`${set.namespace}/${set.name}`);
    const why = this.#feeds.whyUnknown(pods?.reflector ?? null);
    if (why !== null || pods === undefined) return { state: 'unknown', why: why ?? 'not read yet' };
    return { state: 'seen', value: pods.of(set.uid, nodeName) };
  }

  csiNode(nodeName: string): Looked<CsiNodeFacts> {
    return this.#feeds.looked(this.#csiNodes, nodeName);
  }

  #reflector<T>(
    resource: KubeResource,
    project: (object: JsonObject) => T | null,
    onChange: (change: ReflectorChange<T>) => void,
    selection: KubeSelection = {},
  ): Reflector<T> {
    const { api, clock, random, limits = {} } = this.#options;
    const onBug = (error: unknown): void => this.#feeds.fail(error);
    const source = { api, resource, selection, limits };
    return new Reflector({ ...source, clock, random, project, onChange, onBug });
  }

  /** Takes in that a kind of policies is followed, or no longer. */
  turn(): void {
    this.#takePolicies();
  }

  #readPolicies(): void {
    if (!this.#isStale) return;
    this.#isStale = false;
    const readings = this.readings();
    this.#known = readings.flatMap(({ policies }) => policies);
    this.#releases = readings.flatMap(({ releases = [] }) => releases);
  }

  /** Thousands of policies that are listed together are read once. */
  #takePolicies(): void {
    if (this.#isTaking) return;
    this.#isStale = true;
    this.#isTaking = true;
    void this.#takeSoon();
  }

  async #takeSoon(): Promise<void> {
    await Promise.resolve();
    this.#isTaking = false;
    this.#isStale = true;
    try {
      this.#readPolicies();
      this.#follow();
      this.#options.onAll();
    } catch (error) {
      this.#feeds.fail(error);
    }
  }

  /** Starts to watch what the policies ask for. */
  #follow(): void {
    this.#readPolicies();
    const proofs = this.#known.flatMap(proofsOf);
    const isAsked = (kind: string): boolean => proofs.some((proof) => proof.kind === kind);
    const asksSets = this.#known.some(
      ({ selects, adoptTaints = [] }) => selects.placedBy !== null || adoptTaints.length > 0,
    );
    if (this.#daemonSets === null && (asksSets || isAsked('daemonset'))) {
      this.#daemonSets = this.#reflector(DAEMON_SETS, readDaemonSet, () => this.#takeDaemonSets());
      this.#feeds.add('daemonsets', this.#daemonSets, 'proof');
    }
    if (this.#csiNodes === null && isAsked('csi-driver')) {
      this.#csiNodes = this.#reflector(CSI_NODES, readCsiNode, ({ key }) =>
        this.#options.onNode(key),
      );
      this.#feeds.add('csinodes', this.#csiNodes, 'proof');
    }
    this.#followPods();
  }

  #takeDaemonSets(): void {
    this.#followPods();
    this.#options.onAll();
  }

  /** Pods are followed by the selector of each DaemonSet that is a proof, and no others. */
  #followPods(): void {
    const wanted = new Map<string, DaemonSetFacts>();
    for (const proof of this.#known.flatMap(proofsOf)) {
      if (proof.kind !== 'daemonset') continue;
      const set = this.#daemonSets?.get(`${proof.namespace}/${proof.name}`);
      if (set !== undefined) wanted.set(`${proof.namespace}/${proof.name}`, set);
    }
    for (const [key, pods] of this.#pods)
      if (wanted.get(key)?.podSelector !== pods.selector) this.#dropPods(key, pods);
    for (const [key, set] of wanted) if (!this.#pods.has(key)) this.#addPods(key, set);
  }

  #dropPods(key: string, pods: DaemonPods): void {
    this.#pods.delete(key);
    this.#feeds.drop(pods.reflector);
  }

  #addPods(key: string, { namespace, podSelector }: DaemonSetFacts): void {
    if (podSelector === null) return;
    const { api, clock, random, onNode, limits = {} } = this.#options;
    const onBug = (error: unknown): void => this.#feeds.fail(error);
    const place = { namespace, labelSelector: podSelector };
    const pods = new DaemonPods({ api, clock, random, limits, onNode, onBug, ...place });
    this.#pods.set(key, pods);
    this.#feeds.add(`pods of ${key}`, pods.reflector, 'proof');
  }
}
