import { UsageError } from '../context.ts';
import type { LIVE_OPTIONS } from '../declared/shared.ts';
import type { ParsedOptions } from '../options/declaration.ts';

/** What the flags of a live command say; names as kubectl and aws have them. */
export interface LiveFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly profile?: string;
  /** How long evidence is collected. */
  readonly timeoutMs?: number;
}

type LiveValues = ParsedOptions<typeof LIVE_OPTIONS>;

/** The contexts named by `--context`, which may be given several times, each once. */
export function contextsOf({ context }: Pick<LiveValues, 'context'>): readonly string[] {
  return [...new Set(context)];
}

/**
 * The live flags of a command that looks at one cluster.
 *
 * @throws UsageError where several contexts are named, as all but one would be left out
 */
export function liveFlagsOf(values: LiveValues): LiveFlags {
  const { length } = contextsOf(values);
  if (length > 1)
    throw new UsageError(
      `--context may be used once here, not ${length} times; several at once: rollcall diagnose`,
    );
  return flagsOfSeveral(values);
}

/** The same where several contexts may be named: the first of them. */
export function flagsOfSeveral(values: LiveValues): LiveFlags {
  const { kubeconfig, cluster, region, profile, timeout: timeoutMs } = values;
  const [context = null] = values.context;
  const given = Object.entries({ kubeconfig, context, cluster, region, profile, timeoutMs });
  return Object.fromEntries(given.filter(([, value]) => value !== null));
}
