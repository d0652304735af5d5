import type { Tombstone } from '../../../collection/timeline/deleted.ts';
import type { TimelineLine } from '../../../collection/timeline/fold.ts';
import { redactKeys, redactValue } from '../../../evidence/redact.ts';
import { isoTime } from '../../../evidence/time.ts';
import type { TimelinePage } from './timeline-page.ts';

function iso(ms: number): string | null {
  return isoTime({ ms, yearless: false, clock: 'utc' });
}

const HEAD = { apiVersion: 'rollcall.dev/v1alpha1' } as const;

function lineDocument({ row, what, count, lastMs }: TimelineLine): object {
  return {
    time: iso(row.atMs),
    received: iso(row.receivedMs),
    last: iso(lastMs),
    count,
    subject: { kind: row.subjectKind, name: row.subject, uid: row.uid },
    kind: row.kind,
    source: row.source,
    boot: row.boot,
    skewMs: row.skewMs,
    what,
    body: redactKeys(row.body),
  };
}

/** The document that `rollcall timeline -o json` prints. */
export function timelineDocument(page: TimelinePage): object {
  return redactValue({
    ...HEAD,
    kind: 'Timeline',
    cluster: page.cluster,
    asked: page.name,
    names: page.names,
    at: page.atMs === null ? null : iso(page.atMs),
    isCut: page.isCut,
    standings: page.standings.map(({ sinceMs, ...rest }) => ({ ...rest, since: iso(sinceMs) })),
    lines: page.lines.map(lineDocument),
  });
}

/** The document of `rollcall timeline --deleted -o json`. */
export function deletedDocument(cluster: string, stones: readonly Tombstone[]): object {
  return redactValue({
    ...HEAD,
    kind: 'DeletedList',
    cluster,
    deleted: stones.map(({ atMs, livedMs, ...rest }) => ({
      time: iso(atMs),
      livedSeconds: livedMs === null ? null : Math.round(livedMs / 1000),
      ...rest,
    })),
  });
}
