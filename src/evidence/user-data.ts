/** What a NodeConfig or a settings table says of the cluster; null for what it does not give. */
export interface ClusterGiven {
  readonly name: string | null;
  readonly endpoint: string | null;
  /** Checksum of the certificate authority in base64, whose text is left out as long keys are. */
  readonly authority: string | null;
  readonly cidr: string | null;
}

/** A NodeConfig part; `unreadable` says why nodeadm cannot decode it, null when it can. */
export interface NodeConfigGiven extends ClusterGiven {
  readonly unreadable: string | null;
}

/** A call of /etc/eks/bootstrap.sh; `cluster` is null when it is a variable or left out. */
export interface BootstrapCall {
  readonly cluster: string | null;
  /** True when endpoint and certificate are given, so that nobody looks the name up. */
  readonly isExplicit: boolean;
  readonly words: string;
}

export type UserDataForm =
  | 'empty'
  | 'compressed'
  | 'mime'
  | 'script'
  | 'cloud-config'
  | 'node-config'
  | 'toml'
  | 'other';

/** What an instance's user data says. Its text is left out, since people keep secrets in it. */
export interface UserData {
  readonly instanceId: string;
  readonly form: UserDataForm;
  readonly bytes: number;
  /** How the MIME structure is broken, null when it is sound or no MIME at all. */
  readonly mimeFault: string | null;
  readonly nodeConfigs: readonly NodeConfigGiven[];
  readonly bootstrapCall: BootstrapCall | null;
  /** `[settings.kubernetes]` of Bottlerocket, null without such a table. */
  readonly settings: ClusterGiven | null;
  /** True when it calls or names nodeadm itself, so that a NodeConfig may come another way. */
  readonly namesNodeadm: boolean;
  /** The public part of the one kubeadm token that it joins with, null without one. */
  readonly joinTokenId: string | null;
  /** Keys in `--node-labels` with which a kubelet does not start. */
  readonly reservedLabels: readonly string[];
  /** Names of the flags that it passes to the kubelet, without their values. */
  readonly kubeletFlags: readonly string[];
  /** The most pods that it has the kubelet take, null where it does not say. */
  readonly maxPods: number | null;
}

/** The cluster that user data joins: of its NodeConfigs, the last that says so counts. */
export function clusterGiven(given: UserData): ClusterGiven | null {
  const parts = [...given.nodeConfigs, ...(given.settings === null ? [] : [given.settings])];
  const bootstrap = given.bootstrapCall;
  if (parts.length === 0)
    return bootstrap === null ? null : { ...NOTHING, name: bootstrap.cluster };
  return parts.reduce<ClusterGiven>(
    (all, part) => ({
      name: part.name ?? all.name,
      endpoint: part.endpoint ?? all.endpoint,
      authority: part.authority ?? all.authority,
      cidr: part.cidr ?? all.cidr,
    }),
    NOTHING,
  );
}

const NOTHING: ClusterGiven = { name: null, endpoint: null, authority: null, cidr: null };
