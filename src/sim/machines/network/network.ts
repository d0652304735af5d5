import type { Destination, RuleState } from '../contract.ts';
import type { Host } from '../host.ts';
import { AddressStore } from './address-store.ts';

/** What hands out addresses to pods of one machine. */
export interface CniPlugin {
  readonly name: string;
  /** How the host's ends of pod interfaces are called: `cali`, `eni`. */
  readonly hostInterface: string;
  add(pod: string, podUid: string): CniAnswer;
  remove(pod: string): void;
}

export type CniAnswer =
  | { readonly ok: true; readonly address: string; readonly tookMs: number }
  /** `message` as the runtime quotes it after `failed to setup network for sandbox "…": `. */
  | { readonly ok: false; readonly message: string; readonly tookMs: number };

/** Where packets to a service address end. */
export type ServiceWay =
  /** Translated by the node's own rules and delivered. */
  | 'delivered'
  /** Nobody translated it, or it was and no route leads to the pod: the default gateway drops it. */
  | 'black-hole';

/**
 * What a machine reaches. A service address is translated on the node first; what comes out leaves
 * by the routing table, and until there is a route to the pods by the default gateway, which drops
 * it without a word (a new node's silent timeout).
 */
export class MachineNetwork {
  /** Addresses of the VPC for pods, where the VPC CNI runs. */
  readonly addresses = new AddressStore();
  readonly #host: Host;
  readonly #listeners: (() => void)[] = [];
  /** Pods that have ended while nobody handed out addresses. */
  readonly #owed: string[] = [];
  #plugin: CniPlugin | null = null;
  #isTranslated = false;
  #hasRoutes = false;

  constructor(host: Host) {
    this.#host = host;
    host.faults.onChange(() => this.#tell());
  }

  /** After power-off nothing of it is left but configuration on the disk. */
  reset(): void {
    this.#isTranslated = false;
    this.#hasRoutes = false;
    this.#plugin = null;
    this.#owed.length = 0;
    this.addresses.clear();
  }

  plugin(): CniPlugin | null {
    return this.#plugin;
  }

  setPlugin(plugin: CniPlugin | null): void {
    if (this.#plugin === plugin) return;
    this.#plugin = plugin;
    if (plugin !== null) for (const pod of this.#owed.splice(0)) plugin.remove(pod);
    this.#tell();
  }

  /** Gives a pod's address back; the runtime asks again until there is somebody who takes it. */
  release(pod: string): void {
    if (this.#plugin === null) this.#owed.push(pod);
    else this.#plugin.remove(pod);
  }

  /** kube-proxy has written its rules. */
  translateServices(isTranslated: boolean): void {
    if (this.#isTranslated === isTranslated) return;
    this.#isTranslated = isTranslated;
    this.#tell();
  }

  /** The routes to pods of other nodes are there. */
  setRoutes(hasRoutes: boolean): void {
    if (this.#hasRoutes === hasRoutes) return;
    this.#hasRoutes = hasRoutes;
    this.#tell();
  }

  /** @param isOnHost whether what answers has the address of a node, as the API server has */
  serviceWay(isOnHost: boolean): ServiceWay {
    const isTranslated = this.#isTranslated && !this.isRule('services', 'without-effect');
    if (!isTranslated || this.isLost('service-network')) return 'black-hole';
    return isOnHost || this.#hasRoutes ? 'delivered' : 'black-hole';
  }

  /** Whether something has happened to the DNAT rule of this address. */
  isRule(of: 'metadata' | 'services', state: RuleState): boolean {
    return this.#host.faults.of('nat-rule').some((one) => one.of === of && one.state === state);
  }

  /** Whether packets to there are lost without an answer. */
  isLost(destination: Destination): boolean {
    return this.#host.faults.of('black-hole').some((fault) => fault.destination === destination);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
