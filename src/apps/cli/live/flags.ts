/** Flags of every command that looks at a live cluster, as `parseArgs` takes them. */
export const LIVE_OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  cluster: { type: 'string' },
  region: { type: 'string' },
  profile: { type: 'string' },
} as const;

/** What the flags of a live command say; names as kubectl and aws have them. */
export interface LiveFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly region?: string;
  readonly profile?: string;
}

const NAMES = ['kubeconfig', 'context', 'cluster', 'region', 'profile'] as const;

/** The live flags among parsed values. */
export function liveFlagsOf(values: Readonly<Record<string, unknown>>): LiveFlags {
  const given = NAMES.flatMap((name) => {
    const value = values[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given);
}
