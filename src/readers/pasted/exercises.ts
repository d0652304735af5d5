/** Reports on faults that somebody made on purpose, and that ended as they should. */

/** The fault was made on purpose. */
const MADE =
  /\b(?:game ?day|fire ?drill|drill\b|chaos (?:test|day|experiment|engineering)|fault injection|FIS (?:experiment|report|template)|aws:fis:|EXPT[0-9A-Za-z]{8,20}|ec2-api-[a-z-]{5,60}-error|negative (?:tests?|suite|case)|suite "?negative|expected (?:denials?|failures?|errors?)|must fail|should (?:fail|refuse|be (?:refused|rejected|denied))|molecule (?:scenario|test)|policy-sim(?:ulator|ulation)?\b|(?:to|that) (?:prove|show|see|check|verify) (?:that|whether|if) (?:the |our )?\w{1,20}(?: \w{1,20})? (?:works?|fires?|holds?|recovers?|fails? over))/i;

/** It ended as it should. */
const ENDED_WELL =
  /\[PASSED\]|\bSUCCESS! -- \d{1,6} Passed|\bPASSED\b|\b(?:grade|result|verdict|outcome|status)\s?:? {0,3}(?:pass(?:ed)?|ok|green|success(?:ful)?|as (?:planned|expected|in the (?:test )?plan))\b|\bhypothesis (?:was )?(?:confirmed|held)\b|\bas (?:in the test plan|predicted|expected|planned|wanted|intended)\b|\ball (?:assertions|checks|tests|cases) passed\b|\b(\d{1,4}) of \1 (?:as wanted|passed|as expected)\b|\bnothing (?:is |was )?left (?:behind|over)\b|\bsteady state\b.{0,40}\b(?:passed|ok|reached|restored|held)\b|\bfailed=0\b.{0,80}\b(?:rescued|ignored)=/i;

/** Something went otherwise, or somebody asks. */
const OTHERWISE =
  /\?\s*$|\b(?:not as (?:expected|planned)|unexpected(?:ly)?|did(?: not|n't) (?:recover|come back|work|pass)|never (?:recovered|came back|joined)|still (?:not|there|fails?|NotReady|broken|down|stuck)|stuck|hypothesis (?:was )?(?:rejected|refuted|disproved)|grade\s?: {0,3}fail|[1-9]\d{0,5} Failed|failed=[1-9]|unreachable=[1-9])\b/i;

/** Longer texts hold more than a report. */
const LINES_MAX = 80;

/** True for a report on a fault that was made on purpose and ended as it should. */
export function isExercise(lines: readonly string[]): boolean {
  if (lines.length > LINES_MAX || lines.some((line) => OTHERWISE.test(line))) return false;
  return lines.some((line) => MADE.test(line)) && lines.some((line) => ENDED_WELL.test(line));
}
