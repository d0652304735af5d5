import type { JsonObject } from '../../evidence/json.ts';
import type { AwsApi, AwsCall } from '../../ports/aws-api.ts';
import type { Clock } from '../../ports/clock.ts';
import { PortError } from '../../ports/port-error.ts';

interface Remembered {
  readonly pages: readonly JsonObject[];
  /** How the call ended; null when it did well. */
  readonly failure: PortError | null;
}

export interface RememberedAws extends AwsApi {
  /** Begins another look: what is too old by now is forgotten, and asked again. */
  beginLook(): void;
  /** From when on a look asks AWS again, by the monotonic clock, ms; null while nothing is known. */
  nextAskMs(): number | null;
}

function keyOf({ service, operation, input }: AwsCall): string {
  return `${service} ${operation} ${JSON.stringify(input)}`;
}

/**
 * Answers a call again from memory until `leastMs` have passed since AWS was first asked, so that
 * looks may follow one another faster than AWS lets itself be asked. Refusals are remembered too.
 */
export function rememberedAws(aws: AwsApi, clock: Clock, leastMs: number): RememberedAws {
  const known = new Map<string, Remembered>();
  let askedAtMs: number | null = null;
  return {
    region: aws.region,
    partition: aws.partition,
    requests: () => aws.requests(),
    nextAskMs: () => (askedAtMs === null ? null : askedAtMs + leastMs),
    beginLook() {
      if (askedAtMs === null || clock.monotonicMs() - askedAtMs < leastMs) return;
      known.clear();
      askedAtMs = null;
    },
    async *pages(call, signal) {
      const key = keyOf(call);
      const found = known.get(key);
      askedAtMs ??= clock.monotonicMs();
      if (found === undefined)
        yield* asked(aws.pages(call, signal), signal, (one) => known.set(key, one));
      else yield* again(found);
    },
  };
}

async function* again({ pages, failure }: Remembered): AsyncGenerator<JsonObject, void> {
  yield* pages;
  if (failure !== null) throw failure;
}

/** Keeps what comes when it came to its end; what the caller cut off says nothing of AWS. */
async function* asked(
  answers: AsyncIterable<JsonObject>,
  signal: AbortSignal | undefined,
  keep: (one: Remembered) => void,
): AsyncGenerator<JsonObject, void> {
  const pages: JsonObject[] = [];
  try {
    for await (const page of answers) {
      pages.push(page);
      yield page;
    }
  } catch (error) {
    if (error instanceof PortError && signal?.aborted !== true) keep({ pages, failure: error });
    throw error;
  }
  keep({ pages, failure: null });
}
