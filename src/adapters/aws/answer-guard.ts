/** What came back, before the SDK reads it: bounded in size, and an answer at all. */
import type { HttpAnswer } from './clients.ts';
import { NoAnswerError } from './no-answer.ts';

/** A page of 1000 instances is about 8 MB. */
export const ANSWER_BYTES_MAX = 64 << 20;

/** Replaces the body by its bytes, read to the end. Throws `NoAnswerError`. */
export async function readAnswer(answer: HttpAnswer): Promise<void> {
  const bytes = await readBody(answer.body);
  answer.body = bytes;
  checkAnswer(answer, bytes);
}

async function readBody(body: unknown): Promise<Uint8Array> {
  if (body instanceof Uint8Array) return body;
  if (!isIterable(body)) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) throw new NoAnswerError({ kind: 'too-long' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function isIterable(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** How much of a document must be looked at to know what it is. */
const START_BYTES = 1024;

function checkAnswer({ statusCode, headers }: HttpAnswer, bytes: Uint8Array): void {
  const start = text(bytes.subarray(0, START_BYTES)).trimStart();
  if (statusCode >= 300 && statusCode < 400) {
    throw new NoAnswerError({ kind: 'redirect', status: statusCode, to: hostOf(headers) });
  }
  if (/^<!doctype html|^<html/i.test(start)) {
    throw new NoAnswerError({ kind: 'html', status: statusCode });
  }
  if (start.startsWith('<') && !isWhole(start, bytes)) throw new NoAnswerError({ kind: 'cut' });
}

function hostOf(headers: Readonly<Record<string, string>>): string | null {
  const location = headers['location'] ?? '';
  return URL.canParse(location) ? new URL(location).host : null;
}

/** The SDK reads a document that was cut as a shorter list, which would be a lie. */
function isWhole(start: string, bytes: Uint8Array): boolean {
  const root = /^(?:<\?[^>]{0,200}\?>\s{0,8})?<([\w.:-]{1,128})[\s/>]/.exec(start)?.[1];
  const end = text(bytes.subarray(-256)).trimEnd();
  if (root === undefined) return false;
  return end.endsWith(`</${root}>`) || (end.endsWith('/>') && bytes.length < 256);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
