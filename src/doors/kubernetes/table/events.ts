import { at, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { ageOf } from './age.ts';
import { type Cell, type Column, columns, joined, name, numberAt } from './column.ts';

/** Where the two APIs of events keep the same things. */
interface Fields {
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly object: string;
  readonly source: string;
  readonly message: string;
  readonly controller: string;
  readonly instance: string;
}

const CORE: Fields = {
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
  object: 'involvedObject',
  source: 'source',
  message: 'message',
  controller: 'reportingComponent',
  instance: 'reportingInstance',
};

const NEWER: Fields = {
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  object: 'regarding',
  source: 'deprecatedSource',
  message: 'note',
  controller: 'reportingController',
  instance: 'reportingInstance',
};

function firstSeen(fields: Fields): Cell {
  return (event, nowMs) => ageOf(textAt(event, fields.first) ?? textAt(event, 'eventTime'), nowMs);
}

function lastSeen(fields: Fields): Cell {
  return (event, nowMs) => {
    const series = textAt(event, 'series.lastObservedTime');
    const last = series ?? textAt(event, fields.last);
    return last === null ? firstSeen(fields)(event, nowMs) : ageOf(last, nowMs);
  };
}

function counted(fields: Fields, event: JsonObject): number {
  if (at(event, 'series') !== undefined) return numberAt(event, 'series.count');
  return numberAt(event, fields.count) || 1;
}

function objectOf({ object }: Fields): Cell {
  return (event) => {
    const kind = (textAt(event, `${object}.kind`) ?? '').toLowerCase();
    const own = textAt(event, `${object}.name`) ?? '';
    return own === '' ? kind : `${kind}/${own}`;
  };
}

function sourceOf(fields: Fields): (event: JsonObject) => Json {
  return (event) => {
    const component =
      textAt(event, `${fields.source}.component`) || textAt(event, fields.controller);
    const host = textAt(event, `${fields.source}.host`) || textAt(event, fields.instance);
    return joined([component, host], ', ');
  };
}

function eventColumns(fields: Fields): readonly Column[] {
  return columns(
    'Last Seen | Type | Reason | Object | Subobject*1 | Source*1 | Message | First Seen*1 | Count*1 | Name/name*1',
    lastSeen(fields),
    (event) => textAt(event, 'type') ?? '',
    (event) => textAt(event, 'reason') ?? '',
    objectOf(fields),
    (event) => textAt(event, `${fields.object}.fieldPath`) ?? '',
    sourceOf(fields),
    (event) => (textAt(event, fields.message) ?? '').trim(),
    firstSeen(fields),
    (event) => String(counted(fields, event)),
    name,
  );
}

export const EVENT = eventColumns(CORE);
export const NEWER_EVENT = eventColumns(NEWER);
