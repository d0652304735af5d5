/** A program that prints a credential, from `users[].user.exec`. */
export interface ExecSource {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | null;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
  readonly provideClusterInfo: boolean;
}

/** Where the proof of identity comes from; a client certificate stands in `KubeTls`. */
export type CredentialSource =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'token-file'; readonly path: string }
  | { readonly kind: 'basic'; readonly username: string; readonly password: string }
  | { readonly kind: 'exec'; readonly exec: ExecSource };

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface KubeTls {
  /** The only authorities to trust, PEM; null for those of the system. */
  readonly authorityPem: string | null;
  readonly client: ClientCertificate | null;
  /** The name that the server's certificate must carry; null for the host of the server. */
  readonly serverName: string | null;
  /** True when any certificate is taken. */
  readonly isUnverified: boolean;
}

export interface Impersonation {
  readonly user: string;
  readonly uid: string | null;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** One API server and how to speak to it, as a kubeconfig or a pod's service account says. */
export interface KubeTarget {
  /** null inside a cluster, and when only a cluster was named. */
  readonly contextName: string | null;
  /** The names of the entries in the kubeconfig, null inside a cluster. */
  readonly clusterEntry: string | null;
  readonly userEntry: string | null;
  /** The file of the user's entry, for messages; `the service account of this pod`. */
  readonly origin: string;
  /** URL without a slash at its end; may carry a path. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: KubeTls;
  readonly proxyUrl: string | null;
  readonly credential: CredentialSource;
  readonly impersonation: Impersonation | null;
}
