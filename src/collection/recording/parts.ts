import { checksumOf } from '../../evidence/checksum.ts';
import { at, isObject, type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import { redact } from '../../evidence/redact.ts';
import type { CollectedDocument } from '../document.ts';
import type { Pile } from './pile.ts';

/** A row of evidence holds so many bytes at most; with what is around it, it is below 64 KiB. */
const BYTES_MAX = 48 * 1024;
const BITS_MAX = 32;

/** Some evidence, as one row holds it: objects of one list, or an answer. */
export type CutPart = ListPart | DocumentPart;

interface ListPart {
  /** `pods`. */
  readonly list: string;
  /** Each object as JSON, by its key. */
  readonly texts: readonly (readonly [string, string])[];
}

interface DocumentPart {
  readonly document: CollectedDocument;
}

export interface CutParts {
  readonly parts: readonly CutPart[];
  /** Objects and answers that no row can hold. */
  readonly leftOut: number;
}

/** Splits what was judged so that each row holds a part, and what does not change stays in its part. */
export function partsOf({ lists, documents }: Pile): CutParts {
  const parts: CutPart[] = [];
  let leftOut = 0;
  for (const [{ resource }, objects] of lists) {
    const texts = [...objects].filter(([, text]) => bytesOf(text) <= BYTES_MAX);
    leftOut += objects.size - texts.length;
    for (const some of split(texts, 0)) parts.push({ list: resource.plural, texts: some });
  }
  for (const document of documents) {
    const pieces = pagesOf(document, 0);
    leftOut += pieces.filter((piece) => bytesOf(contentText(piece)) > BYTES_MAX).length;
    for (const piece of pieces)
      if (bytesOf(contentText(piece)) <= BYTES_MAX) parts.push({ document: piece });
  }
  return { parts, leftOut };
}

/** The same for the same part. */
export function textOfPart(part: CutPart): string {
  if ('document' in part) return JSON.stringify(part.document);
  return JSON.stringify([part.list, part.texts]);
}

/** A part as the body of its row. */
export function bodyOfPart(part: CutPart): Json {
  if ('document' in part) return { ...part.document };
  const items = part.texts.map(([key, text]) => ({ key, object: JSON.parse(text) as Json }));
  return { list: part.list, items };
}

/** By digits of the key's checksum: an object that comes or goes changes one part alone. */
function split(
  texts: readonly (readonly [string, string])[],
  bit: number,
): readonly ListPart['texts'][] {
  if (texts.length === 0) return [];
  const bytes = texts.reduce((sum, [, text]) => sum + bytesOf(text), 0);
  if (texts.length === 1 || bytes <= BYTES_MAX || bit >= BITS_MAX) return [texts];
  const isSet = ([key]: readonly [string, string]): boolean =>
    ((Number.parseInt(checksumOf(key).slice(0, 8), 16) >>> bit) & 1) === 1;
  return [
    ...split(
      texts.filter((one) => !isSet(one)),
      bit + 1,
    ),
    ...split(
      texts.filter((one) => isSet(one)),
      bit + 1,
    ),
  ];
}

const HALVES_MAX = 16;

/** A long answer as several pages, which is what AWS makes of long answers too. */
function pagesOf(document: CollectedDocument, depth: number): readonly CollectedDocument[] {
  if (bytesOf(contentText(document)) <= BYTES_MAX || depth >= HALVES_MAX) return [document];
  const { content } = document;
  if (typeof content === 'string') return [{ ...document, content: endOf(content) }];
  const text = textAt(content, 'text');
  if (text !== null && isObject(content))
    return [{ ...document, content: { ...content, text: endOf(text) } }];
  const answer = at(content, 'answer');
  const output = textAt(answer, 'Output');
  if (output !== null && isObject(content) && isObject(answer))
    return [{ ...document, content: { ...content, answer: { ...answer, Output: endOf(output) } } }];
  return halvesOf(document, content).flatMap((half) => pagesOf(half, depth + 1));
}

/** Behind a cut through a secret nobody would know the rest of it. */
function endOf(text: string): string {
  return redact(text).slice(-BYTES_MAX / 4);
}

function halvesOf(document: CollectedDocument, content: Json): readonly CollectedDocument[] {
  const answer = at(content, 'answer');
  const [field, items] = isObject(answer) ? longestList(answer) : ['', []];
  if (!isObject(content) || !isObject(answer) || items.length < 2) return [document];
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)].map((some, index) => ({
    ...document,
    name: `${document.name.replace(/\.json$/, '')}_${index}.json`,
    content: { ...content, answer: { ...answer, [field]: some } },
  }));
}

function longestList(answer: JsonObject): readonly [string, readonly Json[]] {
  const lists = Object.entries(answer).flatMap(([name, value]) =>
    Array.isArray(value) ? [[name, value as readonly Json[]] as const] : [],
  );
  return lists.toSorted(([, one], [, other]) => other.length - one.length)[0] ?? ['', []];
}

function contentText({ content }: CollectedDocument): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

const ENCODER = new TextEncoder();

function bytesOf(text: string): number {
  return text.length * 3 <= BYTES_MAX ? text.length : ENCODER.encode(text).length;
}
