import type { ServerResponse } from 'node:http';
import type { JsonObject } from '../../evidence/json.ts';
import type { WatchEvent } from '../../sim/kube/contract.ts';
import type { KubeKind } from '../../sim/kube/kinds.ts';
import type { Wanted } from './accept.ts';
import { commonHeaders, JSON_TYPE, jsonReply, send } from './reply.ts';
import type { ResourceCall } from './resources.ts';
import { openStream } from './streams.ts';
import type { Site } from './site.ts';
import { noSuchPath } from './status.ts';
import { partialObject } from './table/partial.ts';
import { tableOf } from './table/table.ts';

/** Events of one object go to many watchers; it is written out once. */
const WRITTEN = new WeakMap<JsonObject, string>();

function written(object: JsonObject): string {
  const known = WRITTEN.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  WRITTEN.set(object, text);
  return text;
}

/** Answers a watch: a refusal at once, else events until either side ends it. */
export function answerWatch(
  site: Site,
  response: ServerResponse,
  { request, kind, wanted }: ResourceCall,
): void {
  if (kind === null) throw noSuchPath();
  const write = eventWriter(site, response, kind, wanted, request.query['includeObject']);
  let stop = (): void => undefined;
  const stream = openStream(site, response, () => stop());
  const watch = site.enter(() =>
    site.api.watch(request, {
      onEvent: write,
      onEnd: () => stream.end(),
    }),
  );
  if ('code' in watch) {
    stream.release();
    send(site, response, jsonReply(watch.code, watch.object));
    return;
  }
  stop = () => watch.stop();
  begin(site, response);
  if (response.destroyed || response.writableEnded) watch.stop();
}

function begin(site: Site, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return;
  response.sendDate = false;
  response.writeHead(200, { ...commonHeaders(site), 'content-type': JSON_TYPE });
  response.flushHeaders();
}

function eventWriter(
  site: Site,
  response: ServerResponse,
  kind: KubeKind,
  wanted: Wanted,
  include = 'Metadata',
): (event: WatchEvent) => void {
  const form = formOf(site, kind, wanted, include);
  return (event) => {
    if (response.destroyed || response.writableEnded) return;
    begin(site, response);
    response.write(`{"type":"${event.type}","object":${form(event)}}\n`);
    if (response.writableLength > site.limits.unreadBytesMax) response.destroy();
  };
}

function formOf(
  site: Site,
  kind: KubeKind,
  { as, version }: Wanted,
  include: string,
): (event: WatchEvent) => string {
  if (as === 'object') return ({ object }) => written(object);
  if (as !== 'Table')
    return ({ type, object }) =>
      type === 'ERROR' ? written(object) : JSON.stringify(partialObject(object, version));
  let hasHead = false;
  return ({ type, object }) => {
    if (type === 'ERROR') return written(object);
    const table = tableOf(site, kind, object, version, include);
    // Only the first event names the columns.
    const told = hasHead ? { ...table, columnDefinitions: [] } : table;
    hasHead = true;
    return JSON.stringify(type === 'BOOKMARK' ? { ...told, rows: bookmarkRows(object) } : told);
  };
}

/** A bookmark of tables carries its version in the object of a row without cells. */
function bookmarkRows(object: JsonObject): readonly JsonObject[] {
  return [{ cells: [], object }];
}
