import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import { ChangeList, type Changes } from './change.ts';

/** What AWS reported of machines; each state of an instance is recorded from what EC2 lists. */
export function newsChanges(news: readonly MachineNews[]): Changes {
  const list = new ChangeList();
  for (const { id, atMs, kind, instanceIds, text } of news) {
    if (kind === 'state') continue;
    for (const instance of instanceIds)
      list.add({
        atMs,
        subject: instance,
        subjectKind: 'Machine',
        kind: 'machine-news',
        source: 'eventbridge',
        parts: [id, instance],
        what: text,
        more: { news: kind },
      });
  }
  return list;
}
