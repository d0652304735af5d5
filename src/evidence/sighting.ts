import type { LineSource } from './source.ts';
import type { Moment } from './time.ts';
import type { Locator } from './fact.ts';

/** Values that a sign's expression named, such as `{ image: '…' }`; already free of secrets. */
export type Captures = Readonly<Record<string, string>>;

/** One line of evidence as it may be shown: redacted, without control characters, cut to length. */
export interface Quote {
  readonly source: LineSource;
  readonly locator: Locator;
  readonly excerpt: string;
  readonly moment: Moment;
  readonly captures: Captures;
}

/** All times one sign was seen for one machine and one object: bounded, whatever the log's size. */
export interface Sighting {
  readonly count: number;
  readonly first: Quote;
  readonly last: Quote;
  /** At most QUOTES_MAX, the earliest ones. */
  readonly quotes: readonly Quote[];
}

export const QUOTES_MAX = 4;
