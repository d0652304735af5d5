import { isObject, type Json, type JsonObject } from '../../evidence/json.ts';
import { PortError } from '../../ports/port-error.ts';
import { type RequestName, textOf } from './request-name.ts';
import { isPage, pageFailure } from './status-failure.ts';

/** @param what the noun of the message: `half an event` */
export function malformed(server: string, name: RequestName, what: string): PortError {
  return new PortError({
    failure: 'malformed',
    message:
      `${server} answered ${textOf(name)} with ${what}, as when something between cuts it; ` +
      'compare: kubectl get --raw /version',
  });
}

/** @throws what `tooBig` makes, and whatever the stream throws */
export async function answerText(
  bytes: AsyncIterable<Uint8Array> & { destroy(): unknown },
  bytesMax: number,
  tooBig: () => Error,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > bytesMax) throw tooBig();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export interface AnswerScene {
  readonly server: string;
  readonly name: RequestName;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** @throws PortError `malformed` for a web page, half a JSON or another value */
export function jsonOf(text: string, { server, name, headers }: AnswerScene): JsonObject {
  if (isPage({ headers, text })) throw pageFailure({ server, name, status: 200, text });
  const value = parsed(text);
  if (isObject(value)) return value;
  throw malformed(server, name, value === undefined ? 'half a JSON or none' : 'no JSON object');
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
