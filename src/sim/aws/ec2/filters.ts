/** The filters and ids by which calls of EC2 choose. */
import { isObject, type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { isLike } from '../iam/policies.ts';
import { listIn, type Operation, type Pages, reads, type Request, textsIn } from '../operation.ts';
import { refused } from '../refusal.ts';

/** Where in a row the values of a filter are: `VpcId`, `Attachments[].VpcId`. */
export type FilterPaths = Readonly<Record<string, string>>;

export interface Listing {
  /** The member of the answer. */
  readonly member: string;
  readonly rows: (request: Request) => readonly JsonObject[];
  readonly filters: FilterPaths;
  /** The member of the input that names rows, where they have theirs, and how EC2 misses one. */
  readonly ids: {
    readonly member: string;
    readonly path: string;
    readonly code: string;
    readonly words: string;
  } | null;
}

/** A call that lists: by ids, by filters, page by page. */
export function lists(listing: Listing, sizeMax = 1000): Operation {
  const pages: Pages = {
    list: listing.member,
    size: 'MaxResults',
    sizeMax,
    sizeDefault: sizeMax,
    token: ['NextToken', 'NextToken'],
  };
  return reads((request) => ({ [listing.member]: [...chosen(listing, request)] }), pages);
}

/** Rows by the ids and filters of the input. */
export function chosen(listing: Listing, request: Request): readonly JsonObject[] {
  const named = byIds(listing, request.input, listing.rows(request));
  return filtered(named, request.input, listing.filters);
}

function byIds(
  { ids }: Listing,
  input: JsonObject,
  rows: readonly JsonObject[],
): readonly JsonObject[] {
  if (ids === null) return rows;
  const wanted = textsIn(input, ids.member);
  if (wanted.length === 0) return rows;
  const found = new Map(rows.map((row) => [textAt(row, ids.path) ?? '', row]));
  for (const id of wanted)
    if (!found.has(id)) throw refused(ids.code, `The ${ids.words} '${id}' does not exist`);
  return [...new Set(wanted)].map((id) => found.get(id)).filter((row) => row !== undefined);
}

/** @throws RefusedError for a filter that the call does not have */
export function filtered(
  rows: readonly JsonObject[],
  input: JsonObject,
  paths: FilterPaths,
): readonly JsonObject[] {
  let left = rows;
  for (const filter of listIn(input, 'Filters')) {
    if (!isObject(filter)) continue;
    const name = textAt(filter, 'Name') ?? '';
    const values = textsIn(filter, 'Values');
    const of = valuesOf(name, paths);
    left = left.filter((row) => of(row).some((one) => values.some((value) => isLike(value, one))));
  }
  return left;
}

function valuesOf(name: string, paths: FilterPaths): (row: JsonObject) => readonly string[] {
  if (name.startsWith('tag:')) return (row) => tagValues(row, name.slice('tag:'.length));
  if (name === 'tag-key') return (row) => textsAtPath(row, 'Tags[].Key');
  const path = paths[name];
  if (path !== undefined) return (row) => textsAtPath(row, path);
  throw refused('InvalidParameterValue', `The filter '${name}' is invalid`);
}

function tagValues(row: JsonObject, key: string): readonly string[] {
  return listIn(row, 'Tags')
    .filter((tag) => textAt(tag, 'Key') === key)
    .map((tag) => textAt(tag, 'Value') ?? '');
}

/** All values at a path on which `[]` goes through lists. */
export function textsAtPath(row: Json, path: string): readonly string[] {
  let here: readonly Json[] = [row];
  for (const step of path.split('.')) {
    const name = step.endsWith('[]') ? step.slice(0, -2) : step;
    here = here.flatMap((one) => {
      const value = isObject(one) ? one[name] : undefined;
      if (value === undefined || value === null) return [];
      return Array.isArray(value) ? (value as readonly Json[]) : [value];
    });
  }
  return here.map(String);
}
