/** Lists of quoted messages, as a quiz or a glossary has them: none of them was printed here. */

/** An item that is one quoted message. */
const QUOTED_ITEM =
  /^\s{0,8}(?:[-*•]|\(?(?:\d{1,2}|[a-zA-Z])[.)])\s{0,4}(?:"[^"]{4,200}"|'[^']{4,200}'|`[^`]{4,200}`|“[^”]{4,200}”)[.;,]?\s*$/;
/** An item that says what a quoted message means. */
const DEFINED_ITEM =
  /^\s{0,8}(?:[-*•]|\d{1,2}[.)])\s{0,4}(?:"[^"]{4,200}"|`[^`]{4,200}`|\*\*[^*]{4,200}\*\*|“[^”]{4,200}”)\s{0,4}(?:[:=→–—]|->|=>| - |means\b)\s{0,4}[\w(][\w'’-]{0,30}(?: [\w'’(-][\w'’,)-]{0,30}){2}/;
const ITEMS_MIN = 3;
/** Whoever gives a list and no word with it may have picked out what a machine printed. */
const BARE_ITEMS_MIN = 4;

const EXERCISE =
  /\b(?:quiz|trivia|flash ?cards?|glossary|cheat ?sheet|vocabulary|match (?:each |the )?(?:message|error|line)s?|name (?:the|that) (?:layer|cause|error)|exercise|exam|interview questions?|training|workshop)\b/i;
/** Words of people who have the trouble. */
const OWN_TROUBLE =
  /\b(?:we|our|ours|us|I|my|me|I'm|we're|help|why|stuck|broken|fail(?:s|ed|ing)?|NotReady|not ready|keeps?|since (?:today|yesterday|this morning|the)|(?:in|from) the (?:log|journal|console|events?)|logs?|journal|kubelet|nodes? (?:prints?|says?|shows?|logs?))\b/i;

function isItem(line: string): boolean {
  return QUOTED_ITEM.test(line) || DEFINED_ITEM.test(line);
}

/** True for a text that is a list of messages, and tells of nobody who got them. */
export function isListOfMessages(lines: readonly string[]): boolean {
  const written = lines.filter((line) => line.trim() !== '');
  const around = written.filter((line) => !isItem(line));
  const items = written.length - around.length;
  if (items < ITEMS_MIN || around.some((line) => OWN_TROUBLE.test(line))) return false;
  const isBare = around.length === 0 && items >= BARE_ITEMS_MIN;
  const areDefined = written.filter((line) => DEFINED_ITEM.test(line)).length >= ITEMS_MIN;
  return isBare || areDefined || around.some((line) => EXERCISE.test(line));
}
