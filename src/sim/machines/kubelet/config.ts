/** A taint as Node objects hold it. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** What a kubelet was told by its flags and its configuration file. */
export interface KubeletConfig {
  /** `--hostname-override` */
  readonly hostnameOverride: string | null;
  /** `--cloud-provider`; `aws` is the one in the kubelet's own process, which ended with 1.26. */
  readonly cloudProvider: 'aws' | 'external' | null;
  /** `providerID`, `aws:///ZONE/INSTANCE` */
  readonly providerId: string | null;
  /** `--node-ip` */
  readonly nodeIp: string | null;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerWithTaints: readonly Taint[];
  readonly maxPods: number;
  /** How it proves who it is. */
  readonly credential: 'client-certificate' | 'aws-token';
  /** `serverTLSBootstrap`: it asks the cluster for its serving certificate. */
  readonly asksServingCertificate: boolean;
  /** `shutdownGracePeriod`, ms; 0 for none. */
  readonly shutdownGraceMs: number;
  readonly registerNode: boolean;
}

/** Default of `maxPods` (kubelet 1.34, KubeletConfiguration v1beta1). */
const MAX_PODS = 110;

export const PLAIN_KUBELET: KubeletConfig = {
  hostnameOverride: null,
  cloudProvider: null,
  providerId: null,
  nodeIp: null,
  nodeLabels: {},
  registerWithTaints: [],
  maxPods: MAX_PODS,
  credential: 'client-certificate',
  asksServingCertificate: false,
  shutdownGraceMs: 0,
  registerNode: true,
};

/** `key=value,key=value`, as `--node-labels` has them. */
export function labelsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(pairs.map((pair) => splitOnce(pair, '=')));
}

/** `key=value:Effect,…`, as `--register-with-taints` has them. */
export function taintsOf(text: string): readonly Taint[] {
  return text.split(',').flatMap((one) => {
    const [left, effect] = splitOnce(one, ':');
    if (!isEffect(effect)) return [];
    const [key, value] = splitOnce(left, '=');
    return [{ key, ...(value === '' ? {} : { value }), effect }];
  });
}

function isEffect(text: string): text is Taint['effect'] {
  return text === 'NoSchedule' || text === 'PreferNoSchedule' || text === 'NoExecute';
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Reads the flags of a kubelet into its configuration; unknown ones stay without effect. */
export function withFlags(config: KubeletConfig, flags: string): KubeletConfig {
  const given = [...flags.matchAll(FLAG)].map(([, name = '', bare = '', quoted = '']) =>
    flagOf(name, quoted === '' ? bare : quoted),
  );
  return Object.assign({ ...config }, ...given) as KubeletConfig;
}

const FLAG = /--([a-z-]{1,60})[= ](?:([^\s"']{1,2000})|["']([^"'\n]{1,2000})["'])/g;

function flagOf(name: string, value: string): Partial<KubeletConfig> {
  switch (name) {
    case 'hostname-override':
      return { hostnameOverride: value.trim().toLowerCase() };
    case 'cloud-provider':
      return value === 'aws' || value === 'external' ? { cloudProvider: value } : {};
    case 'provider-id':
      return { providerId: value };
    case 'node-ip':
      return { nodeIp: value };
    case 'node-labels':
      return { nodeLabels: labelsOf(value) };
    case 'register-with-taints':
      return { registerWithTaints: taintsOf(value) };
    case 'max-pods':
      return { maxPods: Number(value) || MAX_PODS };
    case 'register-node':
      return { registerNode: value !== 'false' };
    default:
      return {};
  }
}
