import type { Host } from '../host.ts';
import type { MachineNetwork } from './network.ts';

/** An agent that takes over 169.254.169.254 from pods. */
export interface MetadataAgent {
  readonly program: 'kiam' | 'kube2iam';
  /** `--host-interface`: from where its rule takes packets; `cali+`, `!eth0`. */
  readonly hostInterface: string;
  /** What the caller at this pod address gets from it. */
  answer(pod: MetadataCaller): MetadataAnswer;
}

export interface MetadataCaller {
  readonly pod: string;
  readonly podUid: string;
  readonly address: string;
  readonly isHostNetwork: boolean;
}

export type MetadataAnswer =
  | {
      readonly ok: true;
      readonly identity: 'own-role' | 'node-role' | 'other-role';
      readonly tookMs: number;
      /** How long the credentials are good. */
      readonly lifetimeMs: number;
    }
  | { readonly ok: false; readonly error: string; readonly tookMs: number };

/** A connection that stays open between requests is not taken over by a rule made later. */
const KEEP_ALIVE_MS = 90_000;
/** Credentials of an instance profile live about six hours. */
const NODE_CREDENTIALS_MS = 6 * 3_600_000;
/** The SDKs' time limit for one request to the metadata service. */
const SDK_TIMEOUT_MS = 1000;

const UNANSWERED: MetadataAnswer = {
  ok: false,
  error: 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  tookMs: SDK_TIMEOUT_MS,
};

/** Nobody listens any more where a rule that was left behind leads to. */
function refused(): MetadataAnswer {
  return { ok: false, error: 'connect: connection refused', tookMs: 2 };
}

interface Flow {
  readonly to: MetadataAgent | null;
  lastMs: number;
}

/**
 * The way of a pod's request to 169.254.169.254: by the node's DNAT rule to an agent, or past it to
 * the metadata service, which answers with the node's role.
 */
export class MetadataWay {
  readonly #host: Host;
  readonly #network: MachineNetwork;
  readonly #flows = new Map<string, Flow>();
  readonly #listeners = new Set<() => void>();
  #rule: MetadataAgent | null = null;

  constructor(host: Host, network: MachineNetwork) {
    this.#host = host;
    this.#network = network;
    let wasPassedBy = false;
    host.faults.onChange(() => {
      const isPassedBy = host.faults.has('old-connections');
      if (isPassedBy && !wasPassedBy) this.#passBy();
      wasPassedBy = isPassedBy;
      this.#tell();
    });
  }

  reset(): void {
    this.#flows.clear();
    this.#rule = null;
  }

  rule(): MetadataAgent | null {
    return this.#rule;
  }

  /** Adds the DNAT rule of an agent. */
  redirect(agent: MetadataAgent): void {
    this.#rule = agent;
    this.#tell();
  }

  /** Removes the rule, if it is still this agent's; of two only one, which then leads nowhere. */
  undo(agent: MetadataAgent): void {
    if (this.#rule !== agent) return;
    this.#rule = this.#network.isRule('metadata', 'double') ? { ...agent, answer: refused } : null;
    this.#tell();
  }

  /** An agent's answers may be others from now on. */
  changed(): void {
    this.#tell();
  }

  /** @returns what ends the listening */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  forget(pod: string): void {
    this.#flows.delete(pod);
  }

  /** What a request by this pod gets now. */
  ask(caller: MetadataCaller): MetadataAnswer {
    if (caller.isHostNetwork) return this.#service(false);
    const agent = this.#flowOf(caller).to;
    if (agent === null) return this.#service(true);
    return this.#host.faults.has('agent-idle') ? UNANSWERED : agent.answer(caller);
  }

  #flowOf({ pod, podUid }: MetadataCaller): Flow {
    const nowMs = this.#host.trueMs();
    const key = `${pod}/${podUid}`;
    const open = this.#flows.get(key);
    const isKept = this.#host.faults.has('old-connections');
    if (open !== undefined && (isKept || nowMs - open.lastMs < KEEP_ALIVE_MS)) {
      open.lastMs = nowMs;
      return open;
    }
    const flow = { to: this.#effectiveRule(), lastMs: nowMs };
    this.#flows.set(key, flow);
    return flow;
  }

  /** Connections that are open now, as if they had been made before the rule. */
  #passBy(): void {
    for (const key of this.#flows.keys())
      this.#flows.set(key, { to: null, lastMs: this.#host.trueMs() });
  }

  /** A rule for an interface that pods do not have takes nothing. */
  #effectiveRule(): MetadataAgent | null {
    if (this.#network.isRule('metadata', 'without-effect')) return null;
    const plugin = this.#network.plugin();
    if (this.#rule === null || plugin === null) return this.#rule;
    return isTaken(this.#rule.hostInterface, `${plugin.hostInterface}1a2b3c`) ? this.#rule : null;
  }

  /** The hop limit counts for the answer to the token request only. */
  #service(isBehindBridge: boolean): MetadataAnswer {
    const { metadataOptions, roleArn } = this.#host.instance();
    if (this.#network.isLost('imds'))
      return { ok: false, error: 'context deadline exceeded', tookMs: SDK_TIMEOUT_MS };
    if (roleArn === null) return { ok: false, error: 'no EC2 IMDS role found', tookMs: 5 };
    const isTokenLost = isBehindBridge && metadataOptions.httpPutResponseHopLimit < 2;
    if (isTokenLost && metadataOptions.httpTokens === 'required')
      return {
        ok: false,
        error: 'Put "http://169.254.169.254/latest/api/token": context deadline exceeded',
        tookMs: SDK_TIMEOUT_MS,
      };
    const tookMs = isTokenLost ? SDK_TIMEOUT_MS + 3 : 3;
    return { ok: true, identity: 'node-role', tookMs, lifetimeMs: NODE_CREDENTIALS_MS };
  }

  #tell(): void {
    for (const listener of this.#listeners.keys().toArray()) listener();
  }
}

/** `+` stands for any rest, a leading `!` for every other interface (iptables). */
function isTaken(pattern: string, name: string): boolean {
  const isNegated = pattern.startsWith('!');
  const wanted = isNegated ? pattern.slice(1) : pattern;
  const matches = wanted.endsWith('+') ? name.startsWith(wanted.slice(0, -1)) : name === wanted;
  return matches !== isNegated;
}
