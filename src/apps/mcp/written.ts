import { causeOf } from '../../causes/catalogue.ts';
import { CAUSES } from '../../causes/index.generated.ts';
import type { Cause, Step } from '../../diagnosis/cause.ts';

/** What the catalogue says of causes, without a value of any evidence. */
export type Written = ReadonlyMap<string, WrittenCause>;

export interface WrittenCause {
  readonly title: string;
  readonly remedy: readonly Step[];
  readonly decide: Step;
}

/** The title of a cause, null for one that the catalogue lacks. */
export function titleOf(id: string): string | null {
  return CAUSES.find((one) => one.id === id)?.title ?? null;
}

function writtenCause(cause: Cause): WrittenCause {
  const { title, decide } = cause;
  return { title, remedy: cause.remedy({}), decide };
}

/** What is written about these causes; each is loaded once. */
export async function writtenAbout(ids: Iterable<string>): Promise<Written> {
  const wanted = new Set(ids);
  const entries = CAUSES.filter(({ id }) => wanted.has(id));
  return new Map(
    await Promise.all(
      entries.map(async (entry) => [entry.id, writtenCause(causeOf(await entry.load()))] as const),
    ),
  );
}
