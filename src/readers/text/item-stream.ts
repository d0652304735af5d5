/** One element of a large JSON list, with the key of the list in the outer object. */
export interface JsonItem {
  /** `items`, `Reservations`, …; null for an element of a bare list. */
  readonly key: string | null;
  readonly text: string;
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const ITEM_BYTES_MAX = 8 * 1024 * 1024;

interface Cursor {
  depth: number;
  inString: boolean;
  escaped: boolean;
  /** Text of the key or element being read. */
  piece: string;
  key: string | null;
  listDepth: number;
  skipped: number;
}

export interface ItemStream {
  push(text: string): void;
  /** Number of elements that were larger than ITEM_BYTES_MAX and left out. */
  readonly skipped: number;
}

/** Splits `{"items":[…]}` and `[…]` element by element, so that memory does not grow with the list. */
export function createItemStream(onItem: (item: JsonItem) => void): ItemStream {
  const cursor: Cursor = {
    depth: 0,
    inString: false,
    escaped: false,
    piece: '',
    key: null,
    listDepth: 0,
    skipped: 0,
  };
  return {
    push(text) {
      let from = 0;
      for (let index = 0; index < text.length; index++) {
        const end = step(cursor, text.charCodeAt(index));
        if (end === 'none') continue;
        cursor.piece += text.slice(from, index + (end === 'close' ? 1 : 0));
        from = index + 1;
        finish(cursor, end, onItem);
      }
      if (cursor.piece.length < ITEM_BYTES_MAX) cursor.piece += text.slice(from);
    },
    get skipped() {
      return cursor.skipped;
    },
  };
}

type End = 'none' | 'key' | 'open' | 'close' | 'separator';

/** Takes one character; says whether a key, a list or an element ends with it. */
function step(cursor: Cursor, code: number): End {
  if (cursor.inString) return stepString(cursor, code);
  if (code === QUOTE) {
    cursor.inString = true;
    return 'none';
  }
  if (code === 123 || code === 91) return stepOpen(cursor, code);
  if (code === 125 || code === 93) return stepClose(cursor);
  if (code === COMMA && cursor.depth === cursor.listDepth) return 'separator';
  return 'none';
}

function stepString(cursor: Cursor, code: number): End {
  if (cursor.escaped) cursor.escaped = false;
  else if (code === BACKSLASH) cursor.escaped = true;
  else if (code === QUOTE) {
    cursor.inString = false;
    if (cursor.depth === 1 && cursor.listDepth === 0) return 'key';
  }
  return 'none';
}

function stepOpen(cursor: Cursor, code: number): End {
  cursor.depth++;
  const opensList = code === 91 && cursor.listDepth === 0 && cursor.depth <= 2;
  if (opensList) cursor.listDepth = cursor.depth;
  return opensList || cursor.depth === 1 ? 'open' : 'none';
}

function stepClose(cursor: Cursor): End {
  cursor.depth--;
  if (cursor.listDepth === 0) return 'none';
  if (cursor.depth === cursor.listDepth) return 'close';
  if (cursor.depth < cursor.listDepth) {
    cursor.listDepth = 0;
    return 'open';
  }
  return 'none';
}

function finish(cursor: Cursor, end: End, onItem: (item: JsonItem) => void): void {
  const piece = cursor.piece;
  cursor.piece = '';
  if (end === 'key') {
    const key = /"([A-Za-z]{1,40})$/.exec(piece)?.[1];
    if (key !== undefined) cursor.key = key;
  } else if (end === 'close') {
    if (piece.length >= ITEM_BYTES_MAX) cursor.skipped++;
    else
      onItem({
        key: cursor.listDepth === 1 ? null : cursor.key,
        text: piece.replace(/^[\s,]+/, ''),
      });
  }
}
