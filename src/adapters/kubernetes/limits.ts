/** Bounds of one client; times in ms, sizes in bytes. */
export interface KubeClientLimits {
  /** Until TCP and TLS are up. */
  readonly connectTimeoutMs: number;
  /** From the request until the first line of the answer. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of an answer; a watch has no such limit. */
  readonly bodyTimeoutMs: number;
  /** For a program that prints a credential. */
  readonly execTimeoutMs: number;
  /** One line of a watch: an object of etcd's greatest size, several times over. */
  readonly lineBytesMax: number;
  /** One page of a list, or one object. */
  readonly answerBytesMax: number;
  /** What is read of an answer that is an error. */
  readonly errorBytesMax: number;
}

export const DEFAULT_KUBE_LIMITS: KubeClientLimits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 15_000,
  execTimeoutMs: 15_000,
  lineBytesMax: 8 * 1024 * 1024,
  answerBytesMax: 256 * 1024 * 1024,
  errorBytesMax: 64 * 1024,
};
