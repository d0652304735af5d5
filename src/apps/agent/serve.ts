import { openHttpServer, type OpenHttpServer } from '../../adapters/http/server.ts';
import type { AgentKeeper, AgentState } from '../../controllers/agent/keeper.ts';
import type { ProbeRules } from '../../controllers/agent/decide.ts';
import { type HealthCheck, healthReply } from '../../runtime/health/health.ts';
import { MetricsRegistry } from '../../runtime/metrics/registry.ts';
import { CONDITION_TYPES } from '../../controllers/agent/conditions.ts';
import { SourceError } from '../cli/context.ts';

export interface Listen {
  readonly host: string;
  readonly port: number;
}

/** Every look ends within seconds; what takes this long is a bug. */
const UNLOOKED_MS_MAX = 5 * 60_000;
const STATUSES = ['True', 'False', 'Unknown'];

function liveChecks({ unlookedMs }: AgentState): readonly HealthCheck[] {
  const isStuck = unlookedMs > UNLOOKED_MS_MAX;
  const why = `one probe has not looked for ${Math.round(unlookedMs / 1000)} s`;
  return [{ name: 'looking', why: isStuck ? why : null }];
}

function readyChecks(state: AgentState, { heartbeatMs }: ProbeRules): readonly HealthCheck[] {
  const { isWritten, unwrittenMs, failure } = state;
  const isOld = !isWritten || unwrittenMs > 2 * heartbeatMs;
  const why = `not written for ${Math.round(unwrittenMs / 1000)} s`;
  return [{ name: 'conditions', why: failure ?? (isOld ? why : null) }];
}

function metricsOf(keeper: AgentKeeper): MetricsRegistry {
  const registry = new MetricsRegistry();
  const conditions = registry.gauge({
    name: 'rollcall_agent_condition',
    help: '1 for the status that each condition of this Node has.',
    labels: { condition: [...CONDITION_TYPES], status: STATUSES },
  });
  const unwritten = registry.gauge({
    name: 'rollcall_agent_unwritten_seconds',
    help: 'How long ago the API server last took the conditions.',
  });
  registry.beforeReading(() => {
    const { probes, unwrittenMs } = keeper.state();
    conditions.clear();
    for (const { type, status } of probes) conditions.set(1, { condition: type, status });
    unwritten.set(unwrittenMs / 1000);
  });
  return registry;
}

/** Serves /livez, /readyz and /metrics. @throws SourceError when the address cannot be used */
export async function serveAgent(
  listen: Listen,
  keeper: AgentKeeper,
  rules: ProbeRules,
  { err, writesConditions }: { err: (text: string) => void; writesConditions: boolean },
): Promise<OpenHttpServer> {
  const registry = metricsOf(keeper);
  const sources = {
    live: () => liveChecks(keeper.state()),
    ready: () => (writesConditions ? readyChecks(keeper.state(), rules) : []),
    metrics: () => registry.text(),
  };
  const server = await openHttpServer({
    ...listen,
    answer: (question) => healthReply(question, sources),
    onBug: (error) => err(`/metrics: ${error instanceof Error ? error.message : 'failed'}\n`),
  }).catch((error: unknown) => {
    const { code = 'failed' } = error as NodeJS.ErrnoException;
    throw new SourceError(
      `${listen.host}:${listen.port} cannot be served (${code}); choose another: --listen 127.0.0.1:0`,
    );
  });
  err(`Serves /metrics, /livez and /readyz on port ${server.port}.\n`);
  return server;
}
