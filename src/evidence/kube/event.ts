/** An Event of core/v1 or events.k8s.io/v1, in one form. */
export interface KubeEvent {
  readonly namespace: string | null;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  /** The program that wrote it; empty when the Event does not say. */
  readonly component: string;
  readonly about: EventTarget;
  /** Of its last repetition, ms since the epoch; null when the Event shows no time. */
  readonly lastMs: number | null;
}

/** The object that an Event speaks of. */
export interface EventTarget {
  readonly kind: string;
  readonly name: string;
  /** Kubelets write the name of the Node here. */
  readonly uid: string | null;
  /** Empty where the writer leaves it out. */
  readonly apiVersion: string;
}

/** A request of the audit log that deleted a Node. */
export interface NodeDeletionRequest {
  readonly auditId: string;
  readonly node: string;
  /** UID in the precondition or the answer, null when the record shows neither. */
  readonly uid: string | null;
  readonly user: string;
  readonly agent: string;
  /** ms since the epoch. */
  readonly atMs: number;
}
