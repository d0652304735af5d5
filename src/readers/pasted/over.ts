/** Status pages, closed incidents and notes that say in so many words that nothing is wrong now. */

/** Each kind of saying that it is over; one of them alone may stand above a post that explains. */
const SAYINGS: readonly (readonly RegExp[])[] = [
  // It is closed.
  [
    /^\s*[[(*]{0,3}(?:RESOLVED|CLOSED)\b/,
    /\b(?:[Ss]tatus|STATUS|[Ss]tate)(?:\s?[:=]\s{0,4}|\s(?:is\s)?)\*{0,2}(?:closed|resolved|CLOSED|RESOLVED|Closed|Resolved)\b/,
    /\b(?:incident|issue|event|outage|problem)\b.{0,60}\b(?:is|was|has been|have been) (?:now |fully )?(?:closed|resolved|over|mitigated)\b/i,
    /\b(?:that|which) (?:blocked|hit|stopped|affected|bothered|delayed) us\b.{0,80}\bis (?:gone|over|history)\b/i,
  ],
  // Everything runs.
  [
    /\b(?:is|are) (?:now |again )?(?:operating|running|working|functioning) normally\b/i,
    /\b(?:is|are|everything) back to normal\b/i,
    /\b(?:services?|systems?) (?:is |are |has been |have been )?(?:now )?(?:fully )?(?:operational|restored|recovered)\b/i,
    /\ball (?:\d{1,6} )?(?:nodes|machines|instances) (?:are |were )?(?:Ready|healthy|InService)\b/,
    /\b(?:came|is|are) (?:up|back)\b.{0,80}\bsince\b/i,
  ],
  // Nothing is to be done.
  [
    /\bno (?:further |more |other )?(?:action|work|follow-?up)s? (?:(?:is|are|was) )?(?:needed|required|necessary|open|pending)\b/i,
    /\bnothing (?:is |else is |remains )?(?:open|left to do|to do|pending)\b/i,
    /\bno (?:open|outstanding) (?:items?|actions?|tasks?|issues?)\b/i,
    /\bclosing the loop\b/i,
    /\bno (?:fault|problem|issue|failure) to (?:look for|find|fix|solve|report)\b/i,
  ],
  // It was an exercise.
  [
    /\b(?:game ?day|chaos (?:test|day|experiment)|(?:fire |disaster )?drill|exercise)s?\b.{0,40}\b(?:is |was |has )?(?:over|ended|finished|done|completed?)\b/i,
  ],
  // Updates of a status page, of which the last one closes it.
  [/^\s*(?:Resolved|Completed)\s+[-–—]\s/],
];
const SAYINGS_MIN = 2;

/** Posts that end well are read for what it was. */
const EXPLAINED =
  /\b(?:it was|turn(?:s|ed) out|(?:root )?cause(?: of [\w ]{1,40})? (?:was|is)|solution\b|(?:fixed|resolved|solved) (?:(?:it|this|that) )?by|the (?:fix|answer) (?:was|is)|(?:we|I) (?:had|forgot|missed|were|was missing)|(?:was|were|had been) (?:missing|overwritten|misconfigured|mistyped|forgotten)|(?:fixed|solved|helped|cured) (?:it|this|that|us)|did (?:it|the trick))|\b(?:cause|solved|fix|answer)\s?:/i;
const NOT_OVER =
  /\?|\b(?:still|again today|once more|re-?open(?:s|ed|ing)?|recur(?:s|red|ring)?|(?:came|comes|is) back today|happen(?:s|ed|ing) again|(?:we|I) (?:now|again) (?:see|get|have)|now (?:we|I) (?:see|get|have)|but (?:now|today|since))\b/i;

/** True for a text that says in two ways that it is over, and neither why nor that anything is left. */
export function saysItIsOver(lines: readonly string[]): boolean {
  if (lines.some((line) => EXPLAINED.test(line) || NOT_OVER.test(line))) return false;
  const said = SAYINGS.filter((saying) =>
    lines.some((line) => saying.some((words) => words.test(line))),
  );
  return said.length >= SAYINGS_MIN;
}
