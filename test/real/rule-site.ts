/** NodeReadinessRules on a real API server, and nodes for them. */
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import { until } from './bench.ts';
import type { GateSite } from './gate-site.ts';

export const RULES = '/apis/readiness.node.x-k8s.io/v1alpha1/nodereadinessrules';

export interface RuleParts {
  readonly mode?: 'bootstrap-only' | 'continuous';
  readonly conditions?: readonly JsonObject[];
  readonly more?: JsonObject;
}

/** The taint of the rule of this name, as `GateSite` prints it. */
export function taintOf(name: string): string {
  return `readiness.k8s.io/${name}:NoSchedule`;
}

/** What a test of rules does to a cluster. */
export class RuleSite {
  readonly #site: GateSite;

  constructor(site: GateSite) {
    this.#site = site;
  }

  /** A rule of this name for nodes with a label of that name. @returns its UID */
  async rule(name: string, parts: RuleParts = {}): Promise<string> {
    const { mode = 'continuous', conditions, more } = parts;
    const made = await this.#site.create(RULES, {
      apiVersion: 'readiness.node.x-k8s.io/v1alpha1',
      kind: 'NodeReadinessRule',
      metadata: { name },
      spec: {
        conditions: conditions ?? [{ type: 'example.com/Ready', requiredStatus: 'True' }],
        enforcementMode: mode,
        taint: { key: `readiness.k8s.io/${name}`, effect: 'NoSchedule' },
        nodeSelector: { matchLabels: { case: name } },
        ...more,
      },
    });
    return textAt(made, 'metadata.uid') ?? '';
  }

  async node(name: string, isShut: boolean, ofCase = name): Promise<void> {
    const taints = isShut ? [{ key: `readiness.k8s.io/${ofCase}`, effect: 'NoSchedule' }] : [];
    await this.#site.node(name, { labels: { case: ofCase }, taints });
  }

  /** Waits until a rule is as it should be. */
  async where(
    name: string,
    what: string,
    is: (object: JsonObject) => boolean,
  ): Promise<JsonObject> {
    let seen: JsonObject = {};
    return until(`rule ${name} with ${what}`, async () => {
      seen = await this.#site.get(`${RULES}/${name}`);
      return is(seen) ? seen : null;
    }).catch((error: unknown) => {
      throw new Error(JSON.stringify(seen), { cause: error });
    });
  }
}
