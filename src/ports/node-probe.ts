/** What one look at one thing showed. */
export interface ProbeResult {
  /** Whether the condition holds; `unknown` when it could not be looked at. */
  readonly answer: 'yes' | 'no' | 'unknown';
  /** PascalCase, as a condition carries it. */
  readonly reason: string;
  /** One sentence with its timing; without secrets. */
  readonly message: string;
}

/** One thing that the pods of a Node depend on, looked at from where pods are. */
export interface NodeProbe {
  /** Type of the condition that says it: `rollcall.dev/DnsWorks`. */
  readonly condition: string;
  /** A proof needs several looks in a row to be `True`; a notice is `True` at once. */
  readonly says: 'proof' | 'notice';
  /** From one look to the next while nothing changes, ms. */
  readonly intervalMs: number;
  /** A look that takes longer showed nothing, ms. */
  readonly timeoutMs: number;
  /** Throws `PortError` for what it could not ask; any other throw is a bug. */
  look(signal: AbortSignal): Promise<ProbeResult>;
}
