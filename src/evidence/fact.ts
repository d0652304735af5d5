/** Why something could not be looked at; `detail` is a phrase that completes "unknown: …". */
export interface WhyUnknown {
  readonly reason: 'not-collected' | 'not-in-source' | 'denied' | 'unreachable' | 'malformed';
  readonly detail: string;
  /** The one read-only command that would collect it, null when nothing can. */
  readonly collect: string | null;
}

/** Where in the evidence something was read: `bundle.tar.gz!path:line` or an object path. */
export type Locator = string;

/** A place in a document; answers of APIs, which have no lines, are line 0. */
export function locatorAt(document: Locator, line: number): Locator {
  return line === 0 ? document : `${document}:${line}`;
}

export interface Seen<T> {
  readonly state: 'seen';
  readonly value: T;
  /** Who saw it: the reader's name for the source, such as `kubectl get -o json`. */
  readonly by: string;
  readonly locator: Locator;
}

export interface Absent {
  readonly state: 'absent';
  /** The source that was complete and did not contain it. */
  readonly by: string;
}

export interface Unknown {
  readonly state: 'unknown';
  readonly why: WhyUnknown;
}

/** Everything known about a machine: seen, looked for and not there, or not looked at and why. */
export type Fact<T> = Seen<T> | Absent | Unknown;

export function seen<T>(value: T, by: string, locator: Locator): Seen<T> {
  return { state: 'seen', value, by, locator };
}

export function absent(by: string): Absent {
  return { state: 'absent', by };
}

export function unknown(
  reason: WhyUnknown['reason'],
  detail: string,
  collect: string | null = null,
): Unknown {
  return { state: 'unknown', why: { reason, detail, collect } };
}
