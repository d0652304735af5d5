import { type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KubeApi, KubeResource } from '../../ports/kube-api.ts';
import { PortError } from '../../ports/port-error.ts';
import type { ApiServerAddress } from './api-server.ts';
import type { Peer } from './network.ts';

const SLICES: KubeResource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  isNamespaced: true,
};

const CSI_NODES: KubeResource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'csinodes',
  kind: 'CSINode',
  isNamespaced: false,
};

/** A name of the agents' Service, by which their addresses are listed. */
const AGENTS = 'rollcall-agent';
const SERVICE_LABEL = 'kubernetes.io/service-name';
const PORT = 443;
/** The API server's addresses change rarely; a list that could not be had is asked for sooner. */
const KNOWN_MS = 5 * 60_000;
const AGAIN_MS = 10_000;

export interface PlacesOptions {
  readonly api: Pick<KubeApi, 'list' | 'get'>;
  readonly clock: Clock;
  readonly node: string;
  /** Where the agents' Service is. */
  readonly namespace: string;
  /** Given by whoever started the agent; empty to ask the API server. */
  readonly given: readonly ApiServerAddress[];
}

/** What an agent has to ask the API server for to know where to look. */
export class AgentPlaces {
  readonly #options: PlacesOptions;
  #direct: readonly ApiServerAddress[];
  #peers: readonly Peer[] = [];
  #directDueMs = -Infinity;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#direct = options.given;
  }

  /** The API server's own addresses, as far as they are known by now. */
  direct(): readonly ApiServerAddress[] {
    return this.#direct;
  }

  /** Asks for the API server's addresses when that is due; what is known stays when it fails. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { given, clock } = this.#options;
    if (given.length > 0 || clock.monotonicMs() < this.#directDueMs) return;
    const listed = await this.#sliceOf('default', 'kubernetes', signal);
    if (listed !== null) this.#direct = addressesIn(listed);
    this.#directDueMs = clock.monotonicMs() + (this.#direct.length > 0 ? KNOWN_MS : AGAIN_MS);
  }

  /** Some agents of other Nodes; the first hundred of many are enough to draw from. */
  async peers(wanted: 'known' | 'new', signal: AbortSignal): Promise<readonly Peer[]> {
    if (wanted === 'new' || this.#peers.length === 0) {
      const listed = await this.#sliceOf(this.#options.namespace, AGENTS, signal);
      this.#peers = listed === null ? [] : peersIn(listed, this.#options.node);
    }
    return this.#peers;
  }

  /** The CSI drivers that the API server knows of this Node. @throws PortError */
  async csiDrivers(signal: AbortSignal): Promise<readonly string[]> {
    const { api, node } = this.#options;
    const found = await api.get(CSI_NODES, { name: node }, signal);
    return listAt(found, 'spec.drivers').flatMap((driver) => textAt(driver, 'name') ?? []);
  }

  /** One slice, as lists of thousands would be asked for by thousands; null when refused. */
  async #sliceOf(
    namespace: string,
    service: string,
    signal: AbortSignal,
  ): Promise<JsonObject | null> {
    const labelSelector = `${SERVICE_LABEL}=${service}`;
    try {
      const pages = this.#options.api.list(SLICES, {
        namespace,
        labelSelector,
        pageSize: 1,
        signal,
      });
      for await (const { items } of pages) return items[0] ?? null;
      return null;
    } catch (error) {
      if (error instanceof PortError) return null;
      throw error;
    }
  }
}

function addressesIn(slice: JsonObject): readonly ApiServerAddress[] {
  const port = Number(textAt(listAt(slice, 'ports')[0], 'port') ?? PORT);
  return endpointsIn(slice).flatMap((endpoint) =>
    listAt(endpoint, 'addresses').flatMap((host) =>
      typeof host === 'string' ? [{ host, port }] : [],
    ),
  );
}

function peersIn(slice: JsonObject, own: string): readonly Peer[] {
  return endpointsIn(slice).flatMap((endpoint) => {
    const node = textAt(endpoint, 'nodeName');
    const [address] = listAt(endpoint, 'addresses');
    if (node === null || node === own || typeof address !== 'string') return [];
    return [{ node, address }];
  });
}

function endpointsIn(slice: JsonObject): readonly Json[] {
  return listAt(slice, 'endpoints');
}
