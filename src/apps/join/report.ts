import type { JoinEvent } from '../../controllers/join/event.ts';
import type { JsonObject } from '../../evidence/json.ts';
import type { JoinCause } from './failure-cause.ts';

/** An event as `-o json` prints it and a webhook gets it. */
export function eventDocument(event: JoinEvent, cause: JoinCause | null): JsonObject {
  const { atMs, event: what, ...rest } = event;
  return {
    apiVersion: 'rollcall.dev/v1alpha1',
    kind: 'JoinEvent',
    time: new Date(atMs).toISOString(),
    event: what,
    ...rest,
    cause: cause?.cause ?? null,
    summary: cause?.summary ?? null,
    remedy: cause?.remedy ?? [],
  };
}

export function eventLine({ atMs, message }: JoinEvent): string {
  return `${new Date(atMs).toISOString().slice(11, 19)}  ${message}`;
}

/** The end in a few lines, for a console that shows nothing else. */
export function summaryLines(end: JoinEvent, cause: JoinCause | null): readonly string[] {
  const { event, message, tries, restarts, deletions } = end;
  const counts = `runs of COMMAND: ${tries}, restarts of the kubelet: ${restarts}, deleted Nodes: ${deletions}`;
  const head = event === 'joined' ? `joined: ${message}` : `not joined: ${message}`;
  const found = cause === null ? [] : [`cause: ${cause.cause}: ${cause.summary}`];
  const fixes = (cause?.remedy ?? []).map((step) => `fix: ${step}`);
  return [head, counts, ...found, ...fixes];
}
