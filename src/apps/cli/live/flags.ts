import { UsageError } from '../context.ts';

/** Flags of every command that looks at a live cluster, as `parseArgs` takes them. */
export const LIVE_OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string', multiple: true },
  cluster: { type: 'string' },
  region: { type: 'string' },
  profile: { type: 'string' },
  timeout: { type: 'string' },
} as const;

/** What the flags of a live command say; names as kubectl and aws have them. */
export interface LiveFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly profile?: string;
  /** How long evidence is collected: `30s`, `2m`. */
  readonly timeout?: string;
}

const NAMES = ['kubeconfig', 'cluster', 'region', 'profile', 'timeout'] as const;

/** The contexts named by `--context`, which may be given several times, each once. */
export function contextsOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  const given = values['context'];
  return Array.isArray(given) ? [...new Set(given.map(String))] : [];
}

/** Milliseconds of a duration such as `90s`, `15m`, `2h` or `1d`, null when it is none. */
export function durationMs(text: string): number | null {
  const match = /^(\d{1,6})([smhd])$/.exec(text);
  if (match === null) return null;
  const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  return Number(match[1]) * units[match[2] as keyof typeof units];
}

/**
 * The live flags among parsed values, of a command that looks at one cluster.
 *
 * @throws UsageError where several contexts are named, as all but one would be left out
 */
export function liveFlagsOf(values: Readonly<Record<string, unknown>>): LiveFlags {
  const contexts = contextsOf(values);
  if (contexts.length > 1)
    throw new UsageError(
      `One --context at a time here, not ${contexts.length}; of several at once: rollcall diagnose`,
    );
  return flagsOfSeveral(values);
}

/** The same where several contexts may be named: the first of them. */
export function flagsOfSeveral(values: Readonly<Record<string, unknown>>): LiveFlags {
  const given = NAMES.flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const [context] = contextsOf(values);
  return { ...Object.fromEntries(given), ...(context === undefined ? {} : { context }) };
}
