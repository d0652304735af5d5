/** CloudWatch Logs, as far as the control planes of EKS write there. */
import type { JsonObject } from '../../evidence/json.ts';
import { needed, numberIn, type Operations, reads, type Request, textIn } from './operation.ts';
import { refused } from './refusal.ts';

/** Words of which each `?` makes one that is enough (CloudWatch Logs user guide, filter patterns). */
function isWanted(pattern: string | undefined, text: string): boolean {
  const words = [...(pattern ?? '').matchAll(/\?(?:"([^"]*)"|(\S+))/g)];
  return (
    words.length === 0 || words.some(([, quoted, bare]) => text.includes(quoted ?? bare ?? ''))
  );
}

function filterEvents({ account, input }: Request): JsonObject {
  const group = needed(input, 'logGroupName', 'InvalidParameterException');
  const streams = account.logGroups.get(group);
  if (streams === undefined)
    throw refused('ResourceNotFoundException', 'The specified log group does not exist.');
  const prefix = textIn(input, 'logStreamNamePrefix') ?? '';
  const fromMs = numberIn(input, 'startTime') ?? 0;
  const pattern = textIn(input, 'filterPattern');
  const found = [...streams].filter(([name]) => name.startsWith(prefix));
  const events = found.flatMap(([logStreamName, read]) =>
    read()
      .filter(({ atMs, text }) => atMs >= fromMs && isWanted(pattern, text))
      .map(({ atMs, text }) => ({ logStreamName, timestamp: atMs, message: text })),
  );
  return { events };
}

export const LOGS: Operations = {
  FilterLogEvents: {
    ...reads(filterEvents, {
      list: 'events',
      size: 'limit',
      sizeMax: 10_000,
      sizeDefault: 10_000,
      token: ['nextToken', 'nextToken'],
    }),
    resource: ({ account, input }) =>
      `arn:${account.partition}:logs:${account.region}:${account.accountId}:log-group:${textIn(input, 'logGroupName') ?? ''}`,
  },
};
