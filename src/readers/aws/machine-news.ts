import type { MachineNews } from '../../evidence/aws/machine-news.ts';
import { at, type Json, listAt, textAt } from '../../evidence/json.ts';
import { instanceIdIn } from '../../evidence/names.ts';
import { excerptOf } from '../../evidence/redact.ts';
import { isoMs } from '../../evidence/time.ts';

/** SQS takes no longer message. */
const BODY_CHARS_MAX = 1024 * 1024;
/** AWS Health names all machines of a rack in one event. */
const INSTANCES_MAX = 1000;

type Told = Pick<MachineNews, 'kind' | 'text'>;

function text(detail: Json, path: string): string {
  return textAt(detail, path) ?? '';
}

function hook(detail: Json, before: string): Told {
  const name = text(detail, 'LifecycleHookName');
  return { kind: 'hook', text: `Auto Scaling waits for lifecycle hook ${name} ${before}` };
}

function scaling(detail: Json, what: string): Told {
  const why = text(detail, 'StatusMessage') || text(detail, 'Cause');
  return { kind: 'scaling', text: `Auto Scaling ${what}${why === '' ? '' : `: ${why}`}` };
}

/**
 * By `detail-type`, as the user guides of EC2, EC2 Auto Scaling and AWS Health list them
 * (docs.aws.amazon.com, "Amazon EventBridge events").
 */
const TOLD: Readonly<Record<string, (detail: Json) => Told>> = {
  'EC2 Instance State-change Notification': (detail) => ({
    kind: 'state',
    text: `instance is ${text(detail, 'state')}`,
  }),
  'EC2 Spot Instance Interruption Warning': (detail) => ({
    kind: 'spot',
    text: `EC2 takes this spot instance back in two minutes: ${text(detail, 'instance-action')}`,
  }),
  'EC2 Instance Rebalance Recommendation': () => ({
    kind: 'rebalance',
    text: 'EC2 is likely to take this spot instance back soon',
  }),
  'AWS Health Event': (detail) => ({
    kind: 'maintenance',
    text: `AWS Health announces ${text(detail, 'eventTypeCode')}`,
  }),
  'EC2 Instance-launch Lifecycle Action': (detail) => hook(detail, 'after the launch'),
  'EC2 Instance-terminate Lifecycle Action': (detail) => hook(detail, 'before it ends the machine'),
  'EC2 Instance Launch Successful': (detail) => scaling(detail, 'started the machine'),
  'EC2 Instance Launch Unsuccessful': (detail) => scaling(detail, 'could not start a machine'),
  'EC2 Instance Terminate Successful': (detail) => scaling(detail, 'ended the machine'),
  'EC2 Instance Terminate Unsuccessful': (detail) => scaling(detail, 'could not end the machine'),
};

/** Senders whose details are what the table says; anybody may put events of other senders on a bus. */
const SOURCES = new Set(['aws.ec2', 'aws.autoscaling', 'aws.health']);

function parsed(body: string): Json {
  if (body.length > BODY_CHARS_MAX) return null;
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

function instanceIdsIn(detail: Json): readonly string[] {
  const affected = listAt(detail, 'affectedEntities').map((one) => text(one, 'entityValue'));
  const named = [text(detail, 'instance-id'), text(detail, 'EC2InstanceId'), ...affected];
  const ids = named.slice(0, INSTANCES_MAX).flatMap((name) => instanceIdIn(name) ?? []);
  return [...new Set(ids)];
}

/** What a message tells of machines, as EventBridge puts it into a queue; null for anything else. */
export function readMachineNews(body: string): MachineNews | null {
  const event = parsed(body);
  const type = text(event, 'detail-type');
  const id = text(event, 'id');
  const told = Object.hasOwn(TOLD, type) ? TOLD[type] : undefined;
  if (told === undefined || id === '' || !SOURCES.has(text(event, 'source'))) return null;
  const detail = at(event, 'detail') ?? null;
  const news = told(detail);
  return {
    id,
    atMs: isoMs(textAt(event, 'time')),
    kind: news.kind,
    instanceIds: instanceIdsIn(detail),
    text: excerptOf(news.text),
  };
}
