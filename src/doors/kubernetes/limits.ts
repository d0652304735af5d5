/** The largest body of a request; kube-apiserver's own limit for writes, 3 MiB. */
export const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** Bodies of all requests together that are held while they arrive. */
export const BODIES_BYTES_MAX = 48 * 1024 * 1024;
/** Objects nested deeper than any real one are refused before anything walks them. */
export const BODY_DEPTH_MAX = 100;
/** Values in one YAML body, aliases written out. */
export const YAML_VALUES_MAX = 200_000;

/** Lines and values of a request's headers together. */
export const HEADER_BYTES_MAX = 32 * 1024;
export const HEADERS_MAX = 100;
/** An answered connection without another request. */
export const IDLE_TIMEOUT_MS = 90_000;

/** What one door lets its clients do. */
export interface DoorLimits {
  /** A request whose head is not there by then is given up. */
  readonly headTimeoutMs: number;
  /** A request whose body is not there by then is given up. */
  readonly requestTimeoutMs: number;
  /** How often both are looked at. */
  readonly checkEveryMs: number;
  /** More are closed as they come. */
  readonly connectionsMax: number;
  /** Watches and followed logs that are open at a time; one more is answered 429. */
  readonly streamsMax: number;
  /** What a watcher has not read; one that is further behind is cut off. */
  readonly unreadBytesMax: number;
  /** How often a followed log is looked at again. */
  readonly logPollEveryMs: number;
}

export const DOOR_LIMITS: DoorLimits = {
  headTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkEveryMs: 1_000,
  connectionsMax: 1_000,
  streamsMax: 500,
  unreadBytesMax: 16 * 1024 * 1024,
  logPollEveryMs: 500,
};
