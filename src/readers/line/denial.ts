import type { SignRow } from '../../evidence/sign-row.ts';

/** A person who denies a thing at one place of a text and tells of it at another one tells of it. */
const MATCHES_MAX = 8;
const SENTENCE_CHARACTERS_MAX = 600;

/** Words that deny, doubt or ask all that follows them in their sentence. */
const DENIED_SENTENCE =
  /\b(?:not the case|(?:not|n['’]t) true|untrue|is false|ru(?:le|led|les|ling) out|(?:exclude|excluded|excludes|excluding) (?:that|the|any)|no (?:signs?|traces?|evidence|indication|hint) (?:of|that|for)|(?:doubt|unlikely|disprove[ds]?|refute[ds]?) (?:that|it)|nothing (?:says|shows|suggests|indicates|points)|whether|(?:wonder|wondered|wondering|asked?|asking|check|checked|checking|sure|know) if|(?:could|can|might|may) (?:it|this|that) (?:be|have)|(?:is|was) (?:it|this|that) (?:possible|because|the case|due to|about)|in case|what if|suppose|unless|maybe|perhaps|possibly|should (?:I|we|one)|(?:might|may|could) be that)\b/i;

/** Words that only suppose or demand what follows them in their clause. */
const SUPPOSED =
  /(?:(?<!\b(?:even|as) )\bif|\b(?:suspect(?:ed|ing|s)?|guess(?:ed|ing)?|assum(?:e|ed|ing)|should (?:you|be)|(?:might|may|could) (?:be|have|it)|make sure|ensure|verify|double[- ]check))\b/i;

/** Words that make what follows them in their sentence somebody else's, a list of what may be, or past. */
const HEARSAY =
  /\b(?:some(?:one|body)|people|others|(?:the )?docs?|documentation|guides?|articles?|blogs?|posts?|support|colleagues?|chatgpt) (?:\w{1,20} )?(?:says?|said|writes?|wrote|suggest(?:s|ed)?|mention(?:s|ed)?|recommend(?:s|ed)?|claim(?:s|ed)?|told|thinks?|thought)\b|\b(?:in|according to|from) the (?:docs?|documentation|guide)\b|\b(?:possible|common|potential|usual|typical|frequent) (?:causes?|reasons?|explanations?|culprits?)\b|\b(?:earlier|previous|last|old) (?:problem|issue|incident|outage)\b/i;
/** An item of a list of what to look at, as guides and answers number it. */
const NUMBERED = /^\s{0,8}\d{1,2}[.)]\s/;
/** An item of release notes: what was wrong with a version before. */
const RELEASE_NOTE =
  /^\s{0,8}[-*] (?:Bug(?:fix)?|Fix(?:e[sd])?|Feature|Improvement|Enhancement|Documentation|Test|Chore)\b[ :(-]/i;
/** What follows a thing somewhere in its sentence and takes it back. */
const TAKEN_BACK =
  /\bbut (?:it|ours?|that|this|mine|they|these|those|here) (?:does|do|did|is|are|was|were|has|have)\b|\b(?:is|are) (?:one|some) of the (?:\w{1,20} ){0,2}(?:causes|reasons)\b|\bof course\b|\bin (?:another|the other|an old) (?:account|cluster|environment)\b|\b(?:here|in (?:this|our) (?:one|cluster)) there (?:is|are|was|were) (?:no|none)\b|\bfrom (?:(?:a|my|our|the) (?:bastion|desktop|laptop|workstation)|home)\b|,\s(?:some(?:one|body)|people|they) (?:says?|writes?|wrote|said)\b/i;

/** What is so as somebody wanted it is no fault. */
const INTENDED = /\b(?:on purpose|by design|intentionally|deliberately)\b/i;

/** Denies what follows it at once. */
const DENIED_NEXT =
  /(?:\b(?:no|not|never|neither|nor|without|hardly|nobody|nothing)|n['’]t)(?:\s+(?:any|a|an|the|one|more|such|longer|of|our|really|actually|just|being?|been|see|seeing|seen|saw|have|has|had|having|find|found|use|using|about|from|that|due to|because of|caused by|by)){0,5}\s*["'`(]?$/i;

/** Denies what stands before it, or says that it is not behind the fault. */
const DENIED_BEFORE =
  /^["'`)]?(?:[\s,]+[^\s,;:.!?]+){0,4}?\s+(?:(?:is|was|are|were|has been|have been|seems|looks)(?:n['’]t| not| never| no longer| hardly)(?=\s*(?:[.!,;]|$)|\s+(?:the (?:case|cause|reason|problem|issue|culprit|trouble|fault)|it\b|so\b|true|to blame|at fault|involved|happening|what|an? (?:issue|problem|cause|reason)|(?:behind|causing)\b))|(?:is|was|are|were|looks?|seems?)(?: all| also)? (?:fine|ok|okay|good|correct|intended|intentional|expected|on purpose)|(?:is|was|are|were|has been|have been|can be|could be) (?:ruled out|excluded|out of the question|disproved|unlikely|wrong)|(?:did|does|do|would)(?:n['’]t| not) (?:help|happen|apply|occur|change|explain|fix|solve|matter|cause)|(?:makes?|made) no difference|chang(?:es|ed) nothing|no longer (?:happens|occurs|applies)|never (?:happens|happened|occurs|occurred|helped))\b/i;

/** A question that asks for the thing itself; why, how and what ask about one that is there. */
const ASKED =
  /(?:^|[,;:(]\s*|\b(?:or|and|but|so)\s+)(?:could|can|might|may|would|will|is|are|was|were|do|does|did|has|have|had|should)(?:n['’]t)?\b(?!.*\b(?:why|how|what|when|where)\b)/i;
const ANSWERED_NO =
  /^\s*(?:(?:no|nope|not so)(?=\s*(?:[.,!;]|$))|(?:that|this|it) (?:is|was)(?: not|n['’]t) (?:it|so|true|the (?:case|cause|reason|problem))\b)/i;
/** Where one thought ends and the next one begins. */
const CLAUSE_END = /[,;:]\s|\s(?:because|since|but|although|though|while)\s/gi;
const SENTENCE_END = /(?<!\.\.)[.!?](?:["')\]]?\s|["')\]]?$)/g;
const NEGATION = /\b(?:not|never|no longer|nothing|nobody|none)\s|n['’]t\b/gi;

interface Sentence {
  readonly before: string;
  readonly after: string;
  readonly isQuestion: boolean;
  readonly next: string;
}

/** The sentence around a place of a text; `next` is what follows it. */
function sentenceAround(text: string, start: number, end: number): Sentence {
  const head = text.slice(Math.max(0, start - SENTENCE_CHARACTERS_MAX), start);
  const last = [...head.matchAll(SENTENCE_END)].at(-1);
  const before = last === undefined ? head : head.slice(last.index + last[0].length);
  // A match may hold the end of its sentence.
  const tail = text.slice(Math.max(start, end - 1), end + SENTENCE_CHARACTERS_MAX);
  const first = [...tail.matchAll(SENTENCE_END)][0];
  const isQuestion = first?.[0].startsWith('?') === true;
  const close = first === undefined ? tail.length : first.index;
  return { before, after: tail.slice(1, close), isQuestion, next: tail.slice(close + 1) };
}

/** What is left of a text behind the last of these ends, of which there may be none. */
function behindLast(ends: RegExp, text: string): string {
  const end = [...text.matchAll(ends)].findLast(({ index }) => index < text.length - 2);
  return end === undefined ? text : text.slice(end.index + end[0].length);
}

/** True where the expression matches without the negations too: they deny what it looks for. */
function isDeniedWithin(pattern: RegExp, words: string): boolean {
  // Of a match over several thoughts, the last one holds what decides.
  const last = behindLast(CLAUSE_END, behindLast(SENTENCE_END, words));
  const positive = words.slice(0, words.length - last.length) + last.replaceAll(NEGATION, '');
  return positive !== words && pattern.test(positive);
}

function isAsked({ before, after, isQuestion }: Sentence, words: string): boolean {
  if (!isQuestion) return false;
  const isBare = before.trim() === '' && after.trim() === '';
  return isBare || ASKED.test(`${before.trimStart()}${words} `);
}

function isDenied(pattern: RegExp, text: string, match: RegExpExecArray): boolean {
  const [words] = match;
  const own = behindLast(SENTENCE_END, words);
  const end = match.index + words.length;
  const sentence = sentenceAround(text, end - own.length, end);
  const clause = behindLast(CLAUSE_END, sentence.before);
  return (
    DENIED_SENTENCE.test(sentence.before) ||
    (own !== words && DENIED_SENTENCE.test(own)) ||
    SUPPOSED.test(clause) ||
    HEARSAY.test(sentence.before) ||
    TAKEN_BACK.test(sentence.after) ||
    INTENDED.test(`${own} ${sentence.after}`) ||
    DENIED_NEXT.test(clause) ||
    DENIED_BEFORE.test(sentence.after) ||
    isAsked(sentence, own) ||
    ANSWERED_NO.test(sentence.next) ||
    isDeniedWithin(pattern, words)
  );
}

/** The first match which the person who wrote the text neither denies nor asks about. */
function assertedMatch(pattern: RegExp, text: string): RegExpExecArray | null {
  const global = new RegExp(pattern.source, `${pattern.flags}g`);
  if (NUMBERED.test(text) || RELEASE_NOTE.test(text)) return null;
  for (let tried = 0; tried < MATCHES_MAX; tried++) {
    const match = global.exec(text);
    if (match === null) return null;
    if (!isDenied(pattern, text, match)) return match;
    if (match[0] === '') global.lastIndex += 1;
  }
  return null;
}

/** Words of a person by which a message that follows them in their sentence may come one day. */
const FORESEEN =
  /\b(?:do|does|would|will|could|can|might|may|should) (?:I|we|it|this|that|they|you|one) (?:\w{1,20} ){0,2}?(?:risk|end up|lead to|result in|worry about|be afraid of|expect)\b|\b(?:would|will|could|might|may) (?:I|we|it|this|that|they|you|one) (?:\w{1,20} ){0,2}?(?:get|see|hit|face|cause|trigger|throw|return|fail with|run into)\b|\b(?:I|we|they|you|one) (?:could|might|may) (?:\w{1,20} ){0,2}?(?:get|see|hit|face|risk|run into)\b|\bhow (?:do|can|should|could|would) (?:I|we|one|you) (?:\w{1,20} ){0,2}?(?:alert on|be alerted|be told|simulate|provoke|test for|monitor)\b|\bwhat (?:happens|would happen) (?:if|when|on)\b|\b(?:hypothetically|in theory)\b/i;
/** Whoever asks why it comes has it. */
const ASKS_WHY = /\b(?:why|how come|how often|what makes)\b/i;

/** What is shown is of a place that is not asked about. */
const ELSEWHERE =
  /\b(?:is|are|was|were|comes?|came) (?:only )?(?:from|of) (?:the |our |an? |my )?(?:sandbox|old|other|another|former|previous|decommissioned|lab|twin)\b (?:\w{1,20} )?(?:account|cluster|machine|node|region|environment|setup)\b/i;

/** True where the rest of its sentence says that it is of another account, cluster or machine. */
function isElsewhere(text: string, { index, 0: words }: RegExpExecArray): boolean {
  const end = index + words.length;
  if (!ELSEWHERE.test(text.slice(end, end + SENTENCE_CHARACTERS_MAX))) return false;
  return ELSEWHERE.test(sentenceAround(text, index, end).after);
}

/** True for what is only foreseen, in the sentence of a person; programs speak of no you and me. */
function isForeseen(text: string, match: RegExpExecArray): boolean {
  const { index, 0: words } = match;
  if (isElsewhere(text, match)) return true;
  // Few lines have such words, and to look for sentences costs more.
  if (!FORESEEN.test(text.slice(Math.max(0, index - SENTENCE_CHARACTERS_MAX), index))) return false;
  const { before } = sentenceAround(text, index, index + words.length);
  return FORESEEN.test(before) && !ASKS_WHY.test(before);
}

/** The first match of which the sentence around it does not say that it may come. */
function presentMatch(
  pattern: RegExp,
  text: string,
  first: RegExpExecArray,
): RegExpExecArray | null {
  if (!isForeseen(text, first)) return first;
  const global = new RegExp(pattern.source, `${pattern.flags}g`);
  global.lastIndex = first.index + Math.max(1, first[0].length);
  for (let tried = 0; tried < MATCHES_MAX; tried++) {
    const match = global.exec(text);
    if (match === null || !isForeseen(text, match)) return match;
    if (match[0] === '') global.lastIndex += 1;
  }
  return null;
}

/** What the expression of a row finds in a line; of what people tell, only what they assert. */
export function matchOf({ pattern, isTold }: SignRow, text: string): RegExpExecArray | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  return isTold === true ? assertedMatch(pattern, text) : presentMatch(pattern, text, match);
}
