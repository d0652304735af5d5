import type { JsonObject } from '../../evidence/json.ts';
import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import type { CollectedDocument } from '../document.ts';

/** Hears what a resident hears, object by object, to keep more of it than a roll call needs. */
export interface ResidentListener {
  /** What is to be kept of an object of this kind; null for nothing. */
  keep(kind: string, object: JsonObject): JsonObject | null;
  /** Hears each version of an object, in order, as far as it was kept. */
  came(kind: string, key: string, kept: JsonObject): void;
  /** Hears that an object is gone. */
  went(kind: string, key: string): void;
  /** Hears everything that one round of questions to AWS and machines brought. */
  round(documents: readonly CollectedDocument[]): void;
  /** Hears what AWS reports of machines without being asked. */
  reported(news: readonly MachineNews[]): void;
}
