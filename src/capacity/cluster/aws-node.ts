import { isListed } from '../../evidence/fact-values.ts';
import type { Observations } from '../../evidence/observations.ts';
import { DEFAULT_MODE, MANIFEST_TARGETS, type NetworkMode, type WarmTargets } from '../mode.ts';
import { valuesOf } from './facts.ts';

/** How the Amazon VPC CNI is set up: `seen`, `absent` when the cluster runs none, or `unknown`. */
export interface CniSetup {
  readonly state: 'seen' | 'absent' | 'unknown';
  readonly mode: NetworkMode;
  readonly targets: WarmTargets;
}

const UNSET: CniSetup = { state: 'unknown', mode: DEFAULT_MODE, targets: MANIFEST_TARGETS };

type Variables = ReadonlyMap<string, string>;

function countIn(env: Variables, name: string): number | null {
  const text = env.get(name) ?? '';
  return /^\d{1,6}$/.test(text) ? Number(text) : null;
}

function isOn(env: Variables, name: string): boolean {
  return env.get(name)?.toLowerCase() === 'true';
}

/** The tag of an image: `v1.19.2-eksbuild.1`. */
function tagOf(image: string | null): string | null {
  return /:([\w.-]{1,128})(?:@|$)/.exec(image ?? '')?.[1] ?? null;
}

function modeOf(env: Variables, image: string | null): NetworkMode {
  const prefix = isOn(env, 'ENABLE_PREFIX_DELEGATION') ? 'prefix' : 'secondary';
  const maxEni = countIn(env, 'MAX_ENI');
  return {
    addressing: isOn(env, 'ENABLE_IPv6') ? 'ipv6' : prefix,
    customNetworking: isOn(env, 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG'),
    podEni: isOn(env, 'ENABLE_POD_ENI'),
    maxEni: maxEni === 0 ? null : maxEni,
    cniVersion: tagOf(image),
  };
}

function targetsOf(env: Variables): WarmTargets {
  return {
    warmEniTarget: countIn(env, 'WARM_ENI_TARGET') ?? MANIFEST_TARGETS.warmEniTarget,
    warmIpTarget: countIn(env, 'WARM_IP_TARGET'),
    minimumIpTarget: countIn(env, 'MINIMUM_IP_TARGET'),
    warmPrefixTarget: countIn(env, 'WARM_PREFIX_TARGET') ?? MANIFEST_TARGETS.warmPrefixTarget,
  };
}

/** How the container of the CNI is set up by its environment and its image. */
export function cniSetupBy(env: Variables, image: string | null): CniSetup {
  return { state: 'seen', mode: modeOf(env, image), targets: targetsOf(env) };
}

/** The DaemonSet aws-node; its absence is known only from a complete list. */
export function cniSetupOf(observations: Observations): CniSetup {
  const found = valuesOf(observations, 'kube/DaemonSet').find(
    ({ name, namespace }) => name === 'aws-node' && namespace === 'kube-system',
  );
  if (found === undefined)
    return isListed(observations, 'kube/DaemonSet') ? { ...UNSET, state: 'absent' } : UNSET;
  const containers = found.spec?.template?.spec?.containers ?? [];
  const container = containers.find((one) => one.name === 'aws-node') ?? containers[0];
  const env = new Map((container?.env ?? []).map((one) => [one.name ?? '', one.value ?? '']));
  return cniSetupBy(env, container?.image ?? null);
}
