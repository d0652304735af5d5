import type { TroubledLine } from '../evidence/observations.ts';
import { foldedWords } from '../evidence/folded-words.ts';
import { printable, redact } from '../evidence/redact.ts';
import type { ReadLine } from './quotes.ts';

/** Wordings kept of a pile, and of one document so that a noisy log leaves room for the others. */
const LINES_MAX = 2_000;
const DOCUMENT_LINES_MAX = 300;
/** Lines of one document that are looked at: a long log says what it has to say before. */
const LOOKED_AT_MAX = 20_000;
const KEPT_CHARACTERS_MAX = 600;
/** A document this short was chosen by a person: all of it is kept, unless it is one of many. */
const PASTE_LINES_MAX = 12;
export const PASTE_DOCUMENTS_MAX = 6;

const TROUBLE =
  /error|fail|denied|refus|unable|cannot|can't|could ?n[o']t|\bnot? |\bnon?t\b|invalid|unauthori|forbid|time[ds]? ?out|unreachable|missing|expired|exceed|insufficient|limit|reject|unknown|mismatch|warn|fatal|panic|crash|kill|evict|delet|terminat|taint|pending|waiting|stuck|unhealthy|without|too (?:many|few|old|large|long)|not[A-Z ]?ready|back-?off|(?:status|code|http)[^a-z0-9]{0,3}(?:code[^a-z0-9]{0,3})?[45]\d\d\b|conflict|already|\bbad\b|wrong|impaired|stopp|disabled|degraded|unavailable|oom|exit|does ?n[o']t|unsupported|deprecat|removed|abort|lost|skipp|ready=false/i;

/** The column of an event that tells of no trouble, whatever words its message has. */
const NORMAL_EVENT = /^(?:\S+ )?(?:<\S+> )?\S{1,30}(?: \([^)]{1,40}\))?\s+Normal\s/;

/** True for a line that healthy programs seldom print. */
export function speaksOfTrouble(text: string): boolean {
  return TROUBLE.test(text) && !NORMAL_EVENT.test(text);
}

/** Lines that speak of trouble, as they are read. */
export interface Troubled {
  add(document: number, line: ReadLine): void;
  lines(): readonly TroubledLine[];
}

interface Kept {
  readonly wordings: Set<string>;
  readonly troubled: TroubledLine[];
  /** The first lines of the document, while it may be a paste. */
  readonly head: TroubledLine[];
  lookedAt: number;
}

function keptLine(document: number, { text, line, source, about }: ReadLine): TroubledLine {
  // A secret is known by its end too, which a cut would take away.
  const whole = text.length > KEPT_CHARACTERS_MAX ? redact(printable(text)) : text;
  return { document, line, source, about, text: whole.slice(0, KEPT_CHARACTERS_MAX) };
}

/** Lines of one document that were read apart, each wording once, as if it had been read whole. */
export function distinctLines(lines: readonly TroubledLine[]): readonly TroubledLine[] {
  const byWording = new Map(
    lines.toReversed().map((line) => [foldedWords(line.text).join(' '), line] as const),
  );
  return [...byWording.values()].toReversed().slice(0, DOCUMENT_LINES_MAX);
}

function addTo(kept: Kept, document: number, line: ReadLine): void {
  // What a machine is told to do is not what went wrong on it.
  if (line.source === 'user-data') return;
  kept.lookedAt += 1;
  // What an object shows is a state; only its troubles resemble anything.
  if (kept.lookedAt <= PASTE_LINES_MAX && !line.isState) kept.head.push(keptLine(document, line));
  if (kept.troubled.length >= DOCUMENT_LINES_MAX || !speaksOfTrouble(line.text)) return;
  const made = keptLine(document, line);
  const wording = foldedWords(made.text).join(' ');
  if (kept.wordings.has(wording)) return;
  kept.wordings.add(wording);
  kept.troubled.push(made);
}

export function createTroubled(): Troubled {
  const byDocument = new Map<number, Kept>();
  return {
    add(document, line) {
      const known = byDocument.get(document);
      const kept = known ?? { wordings: new Set(), troubled: [], head: [], lookedAt: 0 };
      if (known === undefined) byDocument.set(document, kept);
      if (kept.lookedAt < LOOKED_AT_MAX) addTo(kept, document, line);
    },
    lines() {
      const isPaste = byDocument.size <= PASTE_DOCUMENTS_MAX;
      return [...byDocument.values()].flatMap((kept) => linesOf(kept, isPaste)).slice(0, LINES_MAX);
    },
  };
}

function linesOf({ troubled, head, lookedAt }: Kept, isPaste: boolean): readonly TroubledLine[] {
  return isPaste && troubled.length === 0 && lookedAt <= PASTE_LINES_MAX ? head : troubled;
}
