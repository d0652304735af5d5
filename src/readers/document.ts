import { classifyName, type MachineName } from '../evidence/names.ts';
import type { LineSource } from '../evidence/source.ts';
import type { Collector } from './collector.ts';
import { decodeText, isBinary, needsDecoding } from './encoding.ts';
import { documentSource } from './line/origin.ts';
import { zoneOffsetMs } from './line/zones.ts';
import type { Log, OpenLog } from './log/log.ts';
import { readHere } from './log/read-here.ts';
import type { SignTable } from './sign-table.ts';
import { likelyOf, readStructuredText } from './text/structured.ts';
import { openItems } from './text/items.ts';
import { looksLikeList, looksStructured } from './text/shape.ts';

/** Text up to this size is taken apart passage by passage; above it, only lines that hit are. */
const WHOLE_BYTES_MAX = 2 * 1024 * 1024;
/** A document of tables, objects or answers is refused above this size, by name. */
const STRUCTURED_BYTES_MAX = 64 * 1024 * 1024;
const SNIFF_BYTES = 64 * 1024;

export interface DocumentReader {
  /** Takes the next bytes; what is still needed of them afterwards is copied. */
  push(chunk: Uint8Array): void;
  end(): void;
}

interface Reading {
  readonly collector: Collector;
  readonly table: SignTable;
  readonly document: number;
  readonly likely?: LineSource;
  /** Reads large logs; read where they are when not given. */
  readonly openLog?: OpenLog;
}

/** Reads one document whose kind is found out from its first bytes. */
export function createDocumentReader(reading: Reading): DocumentReader {
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let stream: Log | null = null;
  let refused = false;

  const decide = (): void => {
    if (heldBytes <= WHOLE_BYTES_MAX) return;
    const head = decodeText(concat(held, SNIFF_BYTES));
    if (looksLikeList(head)) {
      stream = openItems(reading);
      for (const chunk of held.splice(0)) stream.push(chunk);
      return;
    }
    if (needsDecoding(concat(held, 4)) || looksStructured(head)) {
      refused = heldBytes > STRUCTURED_BYTES_MAX;
      if (refused) refuse(reading, held);
      return;
    }
    stream = openStream(reading, head);
    for (const chunk of held.splice(0)) stream.push(chunk);
  };

  return {
    push(chunk) {
      if (refused) return;
      if (stream !== null) return stream.push(chunk);
      held.push(new Uint8Array(chunk));
      heldBytes += chunk.length;
      decide();
    },
    end() {
      if (refused) return;
      if (stream !== null) return stream.end();
      readWhole(reading, concat(held, heldBytes));
    },
  };
}

function refuse(reading: Reading, held: Uint8Array[]): void {
  held.length = 0;
  const locator = reading.collector.locatorOf(reading.document);
  reading.collector.loss({
    locator,
    what: `${locator} is one document of more than 64 MB and was left out; split it, for example by namespace: kubectl get pods -n NAMESPACE -o json.`,
  });
}

function concat(chunks: readonly Uint8Array[], bytesMax: number): Uint8Array {
  const total = Math.min(
    bytesMax,
    chunks.reduce((sum, chunk) => sum + chunk.length, 0),
  );
  const whole = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    if (offset >= total) break;
    const part = chunk.subarray(0, total - offset);
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

function readWhole(reading: Reading, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  if (isBinary(bytes)) {
    const locator = reading.collector.locatorOf(reading.document);
    reading.collector.loss({ locator, what: `${locator} is binary and was left out.` });
    return;
  }
  const text = decodeText(bytes);
  reading.collector.sawMachine(reading.document, soleInstanceId(text));
  readStructuredText(reading, text);
}

/** Collectors write the instance id into a file of its own, which makes the archive that machine's. */
function soleInstanceId(text: string): MachineName | null {
  return text.length < 64 && /^\s*i-[0-9a-f]{8,17}\s*$/.test(text)
    ? classifyName(text, 'instance-id')
    : null;
}

/** Scans a large log: only lines that contain an anchor are looked at again. */
function openStream(reading: Reading, head: string): Log {
  const { collector, table, document, openLog = readHere(table) } = reading;
  const headLines = head.split('\n', 400);
  const guess = documentSource(headLines);
  const likely = likelyOf(guess, reading.likely);
  collector.sawSource(document, likely.source);
  collector.sawZone(document, zoneOffsetMs(headLines));
  return openLog(likely, (findings) => collector.addLog(document, findings));
}
