import type { JsonObject } from '../evidence/json.ts';
import type { AwsApi } from '../ports/aws-api.ts';
import type { Clock } from '../ports/clock.ts';
import { EVIDENCE_VERSION } from '../readers/evidence-version.ts';
import { commandOf, fileOf, type PlannedCall } from './aws-calls.ts';
import { type CollectedEvidence, refusalOf } from './document.ts';
import { inTime } from './in-time.ts';

/** Calls under way at once; more makes AWS throttle sooner than it answers faster. */
const PARALLEL_MAX = 8;

/** Asks AWS; what comes back is evidence, and a refusal is an empty answer that was written down. */
export interface Ask {
  (call: PlannedCall): Promise<readonly JsonObject[]>;
  /** The first so many of a list, of which each is asked about; how many are left is counted. */
  readonly first: First;
}

export type First = <T>(items: readonly T[], most: number, what: string) => readonly T[];

/** Counts what is left out of lists that are cut. */
export function firstOf({ shorten }: Pick<CollectedEvidence, 'shorten'>): First {
  return (items, most, what) => {
    if (items.length > most) shorten(`${what} beyond the first ${most}`, items.length - most);
    return items.slice(0, most);
  };
}

/** Lets at most `most` tasks run at once, the others wait in the order in which they came. */
export function limiter(most: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}

/** Errors that mean "there is none", or that a cluster does not use the feature. */
const NOT_THERE: ReadonlySet<string> = new Set(['not-found', 'invalid', 'unsupported']);

export interface AwsSource {
  readonly aws: AwsApi;
  readonly clock: Clock;
}

export function createAsk(
  { aws, clock }: AwsSource,
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Ask {
  const limited = limiter(PARALLEL_MAX);
  const counts = new Map<string, number>();
  const ask = async (call: PlannedCall): Promise<readonly JsonObject[]> => {
    const answers: JsonObject[] = [];
    let isOver = false;
    const take = (answer: JsonObject): void => {
      if (isOver) return;
      const key = `${call.service}:${call.operation}`;
      const index = counts.get(key) ?? 0;
      counts.set(key, index + 1);
      answers.push(answer);
      const { input } = call;
      evidence.add({
        name: fileOf(call, index),
        locator: commandOf(call),
        content: { apiVersion: EVIDENCE_VERSION, kind: 'AwsAnswer', call: key, input, answer },
      });
    };
    try {
      await inTime(
        limited(() => readPages(aws, call, take, signal)),
        signal,
        clock,
      );
    } catch (error) {
      refuse(call, evidence, error);
    } finally {
      isOver = true;
    }
    return answers;
  };
  return Object.assign(ask, { first: firstOf(evidence) });
}

async function readPages(
  aws: AwsApi,
  call: PlannedCall,
  take: (answer: JsonObject) => void,
  signal: AbortSignal,
): Promise<void> {
  let left = call.pagesMax ?? Number.POSITIVE_INFINITY;
  for await (const page of aws.pages(call, signal)) {
    take(page);
    left--;
    if (left <= 0) return;
  }
}

function refuse(call: PlannedCall, evidence: CollectedEvidence, error: unknown): void {
  const refusal = refusalOf(`${call.service}:${call.operation}`, error);
  if (call.isOptional === true && NOT_THERE.has(refusal.failure)) return;
  evidence.refuse(refusal);
}
