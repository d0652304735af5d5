import type { ApiUser, KubeObject } from './contract.ts';
import type { KubeKind } from './kinds.ts';

export interface LogRequest {
  readonly container: string;
  readonly previous: boolean;
  /** null for all lines. */
  readonly tailLines: number | null;
  readonly sinceSeconds: number | null;
  readonly timestamps: boolean;
  readonly limitBytes: number | null;
  readonly follow: boolean;
}

/** What the kubelet answered: a text, or an HTTP code with its message. */
export type KubeletAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** A page that a kubelet answered, whatever its status. */
export interface KubeletPage {
  readonly code: number;
  readonly type: 'text/plain' | 'text/html';
  readonly text: string;
}

/** What a kubelet is asked through the proxy of its Node. */
export interface KubeletQuestion {
  /** `/healthz` */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** A write that others are asked about. */
export interface AdmissionQuestion {
  readonly user: ApiUser;
  readonly kind: KubeKind;
  readonly name: string;
  /** null for an object that comes. */
  readonly before: KubeObject | null;
}

/** Where the API server asks others. */
export interface ApiServerHooks {
  /** `gitVersion`; v1.36.3 when not given. */
  readonly version?: string;
  /** As whom it signs tokens of service accounts; the name of its service when not given. */
  readonly issuer?: string;
  /** The log of a container, as the kubelet of the pod's node gives it. */
  readonly podLog?: (pod: KubeObject, request: LogRequest) => KubeletAnswer;
  /** What the kubelet of a node answers through `nodes/…/proxy`; null where nobody does. */
  readonly kubelet?: (node: KubeObject, question: KubeletQuestion) => KubeletPage | null;
  /** The webhook for tokens that the API server does not know, such as those of EKS. */
  readonly authenticateToken?: (token: string) => ApiUser | null;
  /** What mutating webhooks make of a pod that is being created, after the API server's own plugins. */
  readonly mutatePod?: (pod: KubeObject) => KubeObject;
  /**
   * What webhooks and policies of admission make of a write after the API server's own plugins.
   *
   * @throws StatusError to refuse it
   */
  readonly admit?: (object: KubeObject, question: AdmissionQuestion) => KubeObject;
  /** False lets everybody do everything, as long as a world has no roles yet. */
  readonly isAuthorizing?: boolean;
  /** False leaves Nodes without `node.kubernetes.io/not-ready` when they are created. */
  readonly taintsNewNodes?: boolean;
  /** False leaves the ServiceAccount `default` of a namespace to a controller. */
  readonly makesServiceAccounts?: boolean;
}
