import { at, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import { parseWhen } from '../line/timestamps.ts';
import type { PassageReading } from '../passage.ts';

interface MessageShape {
  readonly list: string;
  readonly fields: readonly string[];
  /** What the sentence is about, put before it. */
  readonly subject?: (answer: JsonObject, entry: Json) => string;
  readonly stamp?: string;
  /** True for answers of which the facts alone may speak. */
  readonly isLeft?: (answer: JsonObject) => boolean;
}

/** Answers whose meaning is in sentences: they are read as lines. */
const MESSAGES: readonly MessageShape[] = [
  {
    list: 'Activities',
    fields: ['StatusCode', 'StatusMessage', 'Description', 'Cause'],
    subject: (_, entry) =>
      `Auto Scaling group ${textAt(entry, 'AutoScalingGroupName') ?? ''} activity`,
    stamp: 'StartTime',
  },
  {
    list: 'StackEvents',
    fields: ['ResourceStatus', 'LogicalResourceId', 'ResourceStatusReason'],
    stamp: 'Timestamp',
  },
  {
    list: 'nodegroup.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `node group ${textAt(answer, 'nodegroup.nodegroupName') ?? ''} issue`,
  },
  {
    list: 'cluster.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `cluster ${textAt(answer, 'cluster.name') ?? ''} issue`,
  },
  {
    list: 'addon.health.issues',
    fields: ['code', 'message'],
    subject: (answer) => `add-on ${textAt(answer, 'addon.addonName') ?? ''} issue`,
  },
  {
    list: 'update.errors',
    fields: ['errorCode', 'errorMessage'],
    // Of several updates of one group only the last counts, which no line can know.
    isLeft: (answer) => textAt(answer, 'nodegroupName') !== null,
  },
];

/** Says the sentences of an answer; false when it is none that has any. */
export function readMessages(passage: PassageReading, value: JsonObject, line: number): boolean {
  let understood = false;
  for (const shape of MESSAGES) {
    if (shape.isLeft?.(value) === true) continue;
    for (const entry of listAt(value, shape.list)) {
      understood = true;
      sayMessage(passage, value, entry, shape, line);
    }
  }
  return (
    understood || Array.isArray(at(value, 'Activities')) || Array.isArray(at(value, 'StackEvents'))
  );
}

function sayMessage(
  passage: PassageReading,
  answer: JsonObject,
  entry: Json,
  shape: MessageShape,
  line: number,
): void {
  const words = shape.fields.map((field) => textAt(entry, field) ?? '');
  const stamp = shape.stamp === undefined ? null : textAt(entry, shape.stamp);
  passage.say({
    text: [shape.subject?.(answer, entry) ?? '', ...words].join(' ').trim(),
    source: 'aws-message',
    line,
    when: stamp === null ? null : parseWhen(stamp),
    host: null,
    about: null,
    isState: false,
  });
}
