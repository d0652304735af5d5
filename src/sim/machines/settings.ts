import type { TrueInstance } from '../aws/contract.ts';
import type { HypervisorOptions, JoinTurn, Spread } from './contract.ts';

/** The options of a hypervisor with everything that was left out filled in. */
export interface HypervisorSettings {
  readonly hostname: string | null;
  readonly hasProviderId: boolean;
  readonly kubeletExtraArgs: string;
  readonly clusterName: string;
  readonly endpoint: string;
  readonly serviceAddress: string;
  readonly kubernetesVersion: string;
  readonly image: 'ubuntu' | 'al2' | 'al2023';
  readonly dhcpDomain: string | null;
  readonly podNetwork: 'ready-made' | 'daemonset';
  readonly kubeProxy: 'ready-made' | 'daemonset';
  readonly bootTime: Spread;
  readonly calicoRouteTime: Spread;
  readonly kubeProxyTime: Spread;
  readonly watchDelay: Spread;
  readonly requestsPerSecond: number;
  readonly clockSkewMs: number;
  readonly servesJournals: boolean;
  readonly joinTools: JoinTurn;
}

export function settingsOf(
  { traits, ...options }: HypervisorOptions,
  instance: TrueInstance,
): HypervisorSettings {
  return {
    hostname: null,
    hasProviderId: true,
    kubeletExtraArgs: '',
    image: 'ubuntu',
    dhcpDomain: null,
    podNetwork: 'daemonset',
    kubeProxy: 'ready-made',
    bootTime: { medianMs: 12_000, sigma: 0.25 },
    calicoRouteTime: { medianMs: 70_000, sigma: 0.1 },
    kubeProxyTime: { medianMs: 4000, sigma: 0.3 },
    watchDelay: { medianMs: 30, sigma: 0.5 },
    requestsPerSecond: 5,
    clockSkewMs: 0,
    servesJournals: false,
    joinTools: (tools) => tools,
    ...options,
    ...traits?.(instance),
    endpoint: options.endpoint.includes('://') ? options.endpoint : `https://${options.endpoint}`,
  };
}
