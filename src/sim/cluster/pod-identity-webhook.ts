import { at, listAt, textAt, textsAt } from '../../evidence/json.ts';
import type { SimulatedAws } from '../aws/cloud.ts';
import type { KubeClient, KubeObject } from '../kube/contract.ts';
import { klogText } from '../machines/logs/klog.ts';
import type { ClusterSetting } from '../stories/scenario.ts';
import type { World } from '../world.ts';
import { agentInjection, injected, type Injection, roleInjection } from './pod-injection.ts';
import { WEBHOOK } from './webhook-objects.ts';

/** What gives pods their roles as they are created, where it hears of them in time. */
export interface PodIdentityWebhook {
  /** The pod as the API server stores it. */
  mutated(pod: KubeObject): KubeObject;
  /** What it printed lately. */
  log(): readonly PrintedLine[];
  /** Hears of pods whose account has a role and that were let through without it. */
  onLeftAlone(listener: (pod: KubeObject) => void): void;
}

export interface PrintedLine {
  readonly atMs: number;
  readonly text: string;
}

/** Of what it is made. */
export interface WebhookPlace {
  readonly world: World;
  readonly cloud: SimulatedAws;
  readonly cluster: ClusterSetting;
  /** Sees everything. */
  readonly client: KubeClient;
  /** Whether the machine of a Node is there to answer. */
  readonly isAnswering: (nodeName: string) => boolean;
}

const ANNOTATION = 'eks.amazonaws.com/role-arn';
/**
 * From the write of an account until the cache of the webhook has it, beyond the 100 ms for which a
 * request waits (pkg/cache); no measured distribution is public, and pods that are made by the same
 * command as their account are left alone now and then.
 */
const CACHE_LAG = { medianMs: 300, sigma: 0.5 };
/** An association takes some seconds until pods get it (EKS user guide, "pod-id-association"). */
const ASSOCIATION_LAG_MS = 5000;
const LINES_MAX = 1000;

/** Starts with the accounts that are there in its cache, and hears of others late. */
export function startWebhook(place: WebhookPlace): PodIdentityWebhook {
  return new Webhook(place);
}

class Webhook implements PodIdentityWebhook {
  readonly #place: WebhookPlace;
  /** Roles by `namespace/name` of their account; null for accounts without. */
  readonly #accounts = new Map<string, string | null>();
  readonly #listeners: ((pod: KubeObject) => void)[] = [];
  #lines: PrintedLine[] = [];

  constructor(place: WebhookPlace) {
    this.#place = place;
    const { client, world } = place;
    const random = world.kernel.random('pod-identity-webhook');
    for (const account of client.list('ServiceAccount')) this.#remember('ADDED', account);
    const lagMs = (): number => random.lognormal(CACHE_LAG.medianMs, CACHE_LAG.sigma);
    client.follow('ServiceAccount', (type, account) => this.#remember(type, account), lagMs);
  }

  log(): readonly PrintedLine[] {
    return this.#lines;
  }

  onLeftAlone(listener: (pod: KubeObject) => void): void {
    this.#listeners.push(listener);
  }

  mutated(pod: KubeObject): KubeObject {
    const injection = this.#isAsked() ? this.#injectionFor(pod) : null;
    if (injection !== null) return injected(pod, injection);
    if (this.#isDue(pod)) for (const listener of this.#listeners) listener(pod);
    return pod;
  }

  #remember(type: 'ADDED' | 'MODIFIED' | 'DELETED', account: KubeObject): void {
    const key = keyOf(account, textAt(account, 'metadata.name'));
    if (type === 'DELETED') this.#accounts.delete(key);
    else this.#accounts.set(key, roleOf(account));
  }

  /** The API server finds the webhook by its configuration, and on kubeadm by a Service. */
  #isAsked(): boolean {
    const { client, cluster } = this.#place;
    if (client.get('MutatingWebhookConfiguration', WEBHOOK) === null) return false;
    if (cluster.kind === 'eks') return true;
    const slice = client.get('EndpointSlice', `kube-system/${WEBHOOK}-slice`);
    return listAt(slice ?? {}, 'endpoints').some(
      (one) => at(one, 'conditions.ready') === true && this.#isThere(textAt(one, 'nodeName')),
    );
  }

  #isThere(nodeName: string | null): boolean {
    return nodeName !== null && this.#place.isAnswering(nodeName);
  }

  #injectionFor(pod: KubeObject): Injection | null {
    const account = accountOf(pod);
    const { region } = this.#place.cloud;
    if (this.#isAssociated(account, ASSOCIATION_LAG_MS))
      return this.#given(pod, agentInjection(region));
    const role = this.#accounts.get(account);
    if (role !== undefined && role !== null) return this.#given(pod, roleInjection(role, region));
    if (role === undefined)
      this.#print('W', 411, `Service account ${account} not found in the cache. Not mutating`);
    this.#print('I', 421, `Pod was not mutated. Reason: ${NOT_MUTATED}. ${wordsOf(pod)}`);
    return null;
  }

  #given(pod: KubeObject, injection: Injection): Injection {
    this.#print('I', 432, `Pod was mutated. ${wordsOf(pod)}`);
    return injection;
  }

  #isAssociated(account: string, lagMs: number): boolean {
    const { cloud, cluster, world } = this.#place;
    const known = cloud.controls.account.plain['pod-identity'];
    return known.valuesAt(world.kernel.nowMs() - lagMs).some((one) => {
      const whose = `${textAt(one, 'namespace')}/${textAt(one, 'serviceAccount')}`;
      return one['clusterName'] === cluster.name && whose === account;
    });
  }

  /** Whether the account of the pod truly has a role. */
  #isDue(pod: KubeObject): boolean {
    const account = accountOf(pod);
    if (this.#isAssociated(account, 0)) return true;
    const found = this.#place.client.get('ServiceAccount', account);
    return found !== null && roleOf(found) !== null;
  }

  #print(severity: 'I' | 'W', line: number, message: string): void {
    const atMs = this.#place.world.kernel.nowMs();
    const text = klogText({ severity, atMs, pid: 1, place: `handler.go:${line}`, message });
    this.#lines.push({ atMs, text });
    if (this.#lines.length > 2 * LINES_MAX) this.#lines = this.#lines.slice(-LINES_MAX);
  }
}

/** As the webhook says it (pkg/handler/handler.go). */
const NOT_MUTATED =
  'Service account did not have the right annotations or was not found in the cache';

function roleOf(account: KubeObject): string | null {
  return textsAt(account, 'metadata.annotations')[ANNOTATION] ?? null;
}

function keyOf(object: KubeObject, name: string | null): string {
  return `${textAt(object, 'metadata.namespace') ?? ''}/${name ?? ''}`;
}

function accountOf(pod: KubeObject): string {
  return keyOf(pod, textAt(pod, 'spec.serviceAccountName') ?? 'default');
}

/** A pod of a ReplicaSet has no name yet when the webhook sees it. */
function wordsOf(pod: KubeObject): string {
  const name = textAt(pod, 'metadata.generateName') ?? textAt(pod, 'metadata.name') ?? '';
  const [namespace = '', account = ''] = accountOf(pod).split('/');
  return `Pod=${name}, ServiceAccount=${account}, Namespace=${namespace}`;
}
