/** What a machine that joins a cluster shows of it. */

/** The Node of this machine's name, as far as a join asks. */
export interface JoinNode {
  readonly uid: string;
  readonly name: string;
  /** `foreign` when the Node says that another machine has it; `unknown` when it does not say. */
  readonly owner: 'ours' | 'foreign' | 'unknown';
  /** Whose it is, in words, where it is foreign. */
  readonly ownerName: string | null;
  /** null while nobody has heard of the kubelet for too long. */
  readonly isReady: boolean | null;
  /** Why it is not Ready, in the kubelet's words. */
  readonly message: string;
  /** False while the cloud controller has not initialized it. */
  readonly isInitialized: boolean;
  readonly isDeleting: boolean;
  /** False while it still shows the boot before; null where one of the two is not known. */
  readonly isOfThisBoot: boolean | null;
}

export type JoinNodeLook =
  | { readonly state: 'present'; readonly node: JoinNode }
  /** The API server knows who asks, and has no such Node. */
  | { readonly state: 'absent'; readonly name: string }
  | { readonly state: 'unknown'; readonly why: JoinBlindness; readonly message: string };

/**
 * Why the Node could not be looked at. `no-credentials`: the kubelet has none;
 * `unauthenticated`: the API server does not know them; `denied`: they are another node's;
 * `no-answer`: nothing is known.
 */
export type JoinBlindness = 'no-credentials' | 'unauthenticated' | 'denied' | 'no-answer';

/** What EC2 lists of the instance. A call that failed is unknown, never absent. */
export type JoinCloudLook =
  | { readonly state: 'listed'; readonly privateDnsName: string | null }
  | { readonly state: 'absent'; readonly message: string }
  | { readonly state: 'unknown'; readonly message: string };

/** One thing to be so before the command runs. */
export interface JoinCheck {
  readonly name: JoinCheckName;
  readonly state: 'passed' | 'failed' | 'unknown';
  /** One sentence. */
  readonly message: string;
}

export type JoinCheckName = 'names' | 'clock' | 'dns' | 'api-server' | 'cloud';

/** What an earlier join left on the disk. */
export interface JoinLeftovers {
  /** Paths that `kubeadm join` refuses to find. */
  readonly paths: readonly string[];
  /** Why they are of another machine or cluster; null when nothing says so. */
  readonly foreign: string | null;
}

export interface JoinSeen {
  /** By the monotonic clock, ms. */
  readonly atMs: number;
  readonly node: JoinNodeLook;
  /** null where it was not asked for. */
  readonly cloud: JoinCloudLook | null;
  readonly kubelet: 'running' | 'stopped' | 'unknown';
  /** Empty where they were not asked for. */
  readonly checks: readonly JoinCheck[];
  readonly leftovers: JoinLeftovers;
  /** A command that an earlier start of the supervisor left behind still runs. */
  readonly isCommandRunning: boolean;
}

/** Which costly parts a look is to have. */
export interface JoinWants {
  readonly checks: boolean;
  readonly cloud: boolean;
}
