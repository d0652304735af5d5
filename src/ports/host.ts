export interface HostRun {
  readonly stdout: Uint8Array;
  readonly stderr: string;
  readonly exitCode: number;
  /** True when more was printed than `bytesMax`; the beginning was dropped. */
  readonly isCut: boolean;
}

export interface HostRequest {
  readonly url: string;
  readonly method?: 'GET' | 'PUT' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Of a POST, so that what it says is in no address and so in no error. */
  readonly body?: string;
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

export interface HostReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HostProbe {
  readonly host: string;
  readonly port: number;
  /** Handshake with this server name; null for plain TCP. */
  readonly tlsServerName: string | null;
  /** PEM of the authority to trust, null for the system's. */
  readonly caPem: string | null;
  readonly timeoutMs: number;
}

export interface HostProbed {
  readonly connectMs: number;
  /** null for plain TCP. */
  readonly tls: {
    readonly isTrusted: boolean;
    /** Why the certificate is not trusted (`CERT_HAS_EXPIRED`), null when it is. */
    readonly why: string | null;
    readonly subject: string;
    readonly issuer: string;
    readonly validFrom: string;
    readonly validTo: string;
    readonly names: readonly string[];
  } | null;
  /** The server's own clock minus ours by its HTTP Date header, ms; null when it sent none. */
  readonly clockOffsetMs: number | null;
}

/** The file system that holds a path. */
export interface HostSpace {
  readonly bytesTotal: number;
  /** For a program without privileges. */
  readonly bytesFree: number;
  /** 0 where the file system has no fixed number of them. */
  readonly inodesTotal: number;
  readonly inodesFree: number;
}

/**
 * The machine on which the program runs, read only. Throws `PortError`: `denied` when the user may
 * not read, `not-found` for a file or program that is not there, `timeout` and `unreachable` for
 * requests and probes.
 */
export interface Host {
  /** The last `bytesMax` bytes of a file. */
  readFile(path: string, bytesMax: number): Promise<Uint8Array>;
  listFolder(path: string): Promise<readonly string[]>;
  space(path: string): Promise<HostSpace>;
  /** Runs a program by its argument list, never through a shell; never with more rights. */
  run(
    argv: readonly string[],
    limits: { readonly timeoutMs: number; readonly bytesMax: number },
  ): Promise<HostRun>;
  request(request: HostRequest): Promise<HostReply>;
  probe(probe: HostProbe): Promise<HostProbed>;
  /** Addresses of a name as the machine's own resolver gives them. */
  resolve(name: string, timeoutMs: number): Promise<readonly string[]>;
  hostname(): string;
}
