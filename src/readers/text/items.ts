import { isObject, type Json } from '../../evidence/json.ts';
import { readAnswer } from '../answers.ts';
import { createItemStream, type JsonItem } from './item-stream.ts';
import { parseJson } from './parse.ts';
import { openPassage, type TextReading } from '../passage.ts';

/** Lines of objects matched at a time, which bounds what waits. */
const FLUSH_ITEMS = 200;

export interface ItemsReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

/** Reads a large JSON list element by element, with the same readers as a small one. */
export function openItems(reading: TextReading): ItemsReader {
  const open = openPassage(reading);
  const decoder = new TextDecoder();
  let count = 0;
  let nodes = 0;
  const stream = createItemStream((item) => {
    count++;
    const value = answerOf(item);
    if (isObject(value) && value['kind'] === 'Node') nodes++;
    if (value !== null) readAnswer(open.passage, value, 1);
    if (count % FLUSH_ITEMS === 0) open.flush();
  });
  return {
    push: (chunk) => stream.push(decoder.decode(chunk, { stream: true })),
    end: () => {
      open.flush();
      finish(reading, { skipped: stream.skipped, isNodeList: count > 0 && nodes === count });
    },
  };
}

function answerOf(item: JsonItem): Json {
  const parsed = parseJson(item.text);
  if (!parsed.ok) return null;
  return item.key === null || item.key === 'items' ? parsed.value : { [item.key]: [parsed.value] };
}

function finish(
  reading: TextReading,
  seen: { readonly skipped: number; readonly isNodeList: boolean },
): void {
  const { collector, document } = reading;
  const locator = collector.locatorOf(document);
  if (seen.isNodeList) collector.listing('kube/Node', 'kubectl get nodes', locator);
  if (seen.skipped > 0) {
    collector.loss({
      locator,
      what: `${locator}: ${seen.skipped} list elements of more than 8 MB were left out.`,
    });
  }
}
