/** Answers cut into pages, with tokens that name where the next one begins. */
import type { Json, JsonObject } from '../../evidence/json.ts';
import { numberIn, type Pages, textIn } from './operation.ts';
import { refused } from './refusal.ts';

const TOKEN = /^page-(\d{1,9})-(\d{1,9})$/;

/** @throws RefusedError for a token that was never given */
export function onePage(answer: JsonObject, input: JsonObject, pages: Pages | null): JsonObject {
  if (pages === null) return answer;
  const list = answer[pages.list];
  if (!Array.isArray(list)) return answer;
  const rows = list as readonly Json[];
  const start = startOf(textIn(input, pages.token[0]), rows.length);
  const size = Math.min(numberIn(input, pages.size) ?? pages.sizeDefault, pages.sizeMax);
  const end = start + Math.max(1, size);
  const page = { ...answer, [pages.list]: rows.slice(start, end) };
  return end < rows.length ? { ...page, [pages.token[1]]: `page-${end}-${rows.length}` } : page;
}

function startOf(token: string | undefined, length: number): number {
  if (token === undefined || token === '') return 0;
  const start = Number(TOKEN.exec(token)?.[1] ?? Number.NaN);
  if (Number.isInteger(start)) return Math.min(start, length);
  throw refused('InvalidParameterValue', 'Unable to parse pagination token');
}
