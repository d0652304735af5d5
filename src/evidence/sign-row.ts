import type { LineSource } from './source.ts';

/** One expression of the generated table, as the readers try it; they know no cause by name. */
export interface SignRow {
  /** `cause-id`, `symptom:id` or `milestone:id`. */
  readonly owner: string;
  readonly name: string;
  readonly in: readonly LineSource[];
  readonly anchors: readonly string[];
  readonly pattern: RegExp;
  readonly strict: boolean;
  /** True for what people tell in sentences, who may also deny it or ask. */
  readonly isTold?: boolean;
  /** Captures whose values tell objects apart. */
  readonly per: readonly string[];
}
