/** A kind of paper, and by what it is known. */
export interface PaperKind {
  /** What it is, as a sentence about the text continues. */
  readonly what: string;
  /** Marks of which each must be there. */
  readonly all: readonly RegExp[];
  /** Marks of which so many must be there. */
  readonly some: readonly RegExp[];
  readonly someMin: number;
  /** Where this is said, it tells of what is wrong. */
  readonly unless?: RegExp;
}

/** Words of tickets, which go by a runbook. */
const HAPPENED =
  /\b(?:tried|done|did(?: not|n't) help|no effect|happened|occurred|reported by|assignee|(?:was|were|got) hit|started (?:at|on)|since (?:\d|today|yesterday|this morning))\b/i;

const RUNBOOK: PaperKind = {
  what: 'holds a runbook: its messages are examples; give the lines that your machine printed.',
  all: [
    // Alerts only name the address of theirs.
    /^\W{0,6}(?:(?:RB|SOP|PB)[- ]?\d{1,5}\b|(?:run ?book|playbook|standard operating procedure)\b(?!\W{0,4}(?:url\W{0,4})?https?:|[_ -]?url))/i,
    /^\s{0,6}(?:#{1,4} )?(?:\d{1,2}[.)]|step \d{1,2}\b[:.]?)\s/i,
  ],
  some: [
    /(?:→|->|=>|\bsee|\bgo to|\bcontinue (?:with|at)|\bfollow)\s{0,2}\[?(?:(?:RB|SOP|PB)-?\d{1,5}|step \d|run ?book)/i,
    /(?:^|[\s=`'"/])<(?:n|i|node|instance|instance-?id|node-?name|name|cluster|host|id|pod|group|nodegroup|region|zone|type)>/i,
    /^\W{0,4}(?:severity|priority|escalat(?:e|ion)|on-?call|owner|owned by)\b|^\s{0,6}step \d{1,2}\W{1,3}escalate\b/i,
    /^\W{0,4}(?:last (?:reviewed|updated)|(?:change|revision) history|prerequisites|when to use|trigger|symptoms?|impact|verification|roll ?back)\b/i,
    /^\s{0,8}(?:[-*] )?`[^`]{4,200}`\s{0,3}(?:→|->|=>)|\([→>-]{1,2}\s?(?:RB|SOP|PB)/,
  ],
  someMin: 2,
  unless: HAPPENED,
};

const EXAM: PaperKind = {
  what: 'asks questions of an exam or interview; give the lines that your machine printed.',
  all: [
    /^\s{0,4}(?:\*\*)?(?:(?:Q(?:uestion)?|task|exercise)\s?\d{1,3}(?:[.:)]|\s\(\d{1,2} (?:points?|marks|%)\))|\d{1,3}[.)]\s.{4,400}[?:]\s*$)/i,
  ],
  some: [
    /^\s{0,8}(?:[-*] )?\(?[aA][.)]\s\S/,
    /\btrue or false\b|\bT ?\/ ?F\b/i,
    /\b(?:which of the following|(?:select|choose|pick) (?:one|two|three|all|the (?:best|correct))|name (?:two|three|four) |match(?: the [\w ]{1,40})?:|explain briefly|in your own words)/i,
    /\b(?:answers? (?:on page|key|at the end|overleaf)|(?:correct|expected|model|good|sample) answers?\b|passing score|multiple choice)|\(\d{1,2} ?(?:points?|marks|%)\)/i,
    /\b(?:exam|quiz|CKA|CKAD|CKS|certification|candidates?|practice test|interview(?:er|s)?|follow-?up question)\b/i,
  ],
  someMin: 2,
};

const INTERVIEW: PaperKind = {
  what: EXAM.what,
  all: [
    /\binterview (?:question|task|exercise|scenario)s?\b|\b(?:whiteboard|take-home) (?:exercise|task|question)\b/i,
  ],
  some: [
    /\b(?:name|give|list|tell) (?:two|three|four|some|at least \w{2,5}) (?:possible )?(?:reasons?|causes?|ways|steps)\b/i,
    /^\W{0,4}(?:expected|bonus|follow-?up|good answers?|red flags?)\b[^:]{0,40}:/i,
    /\b(?:the )?candidates?\b/i,
    /\b(?:level|seniority|junior|senior) ?\d?\b/i,
  ],
  someMin: 2,
};

const DECISION_RECORD: PaperKind = {
  what: 'is a record of a decision; give the lines that your machine printed.',
  all: [/^\W{0,4}(?:ADR|RFC|KEP|decision record)[- #]?\d{1,5}\b|\barchitecture decision record\b/i],
  some: [
    /^\W{0,4}(?:context|background|problem statement)\b\W/i,
    /^\W{0,4}(?:decision|proposal|decision outcome)\b\W/i,
    /^\W{0,4}status\b\W{1,4}(?:proposed|accepted|draft|superseded|rejected|deprecated)\b/i,
    /^\W{0,4}(?:consequences|considered options|alternatives|drawbacks)\b\W?/i,
  ],
  someMin: 2,
};

const FLASH_CARDS: PaperKind = {
  what: 'holds flash cards; give the lines that your machine printed.',
  all: [
    /^\W{0,4}(?:front|term)\W{0,3}:\W{0,3}\s/i,
    /^\W{0,4}(?:back|definition)\W{0,3}:\W{0,3}\s/i,
  ],
  some: [],
  someMin: 0,
};

const MARKDOWN_MANUAL: PaperKind = {
  what: 'holds a page of a manual; give the lines that your machine printed.',
  all: [/^#{1,3} NAME\s*$/, /^#{1,3} SYNOPSIS\s*$/],
  some: [
    /^#{1,3} (?:DESCRIPTION|OPTIONS|EXIT (?:STATUS|CODES?)|DIAGNOSTICS|ERRORS|FILES|SEE ALSO|BUGS)\s*$/,
    /\b[\w.:+-]{2,60}\([1-9][a-z]{0,3}\)/i,
  ],
  someMin: 1,
};

const NEWSLETTER: PaperKind = {
  what: 'holds a newsletter; give the lines that your machine printed.',
  all: [
    /\bunsubscribe\b|\bmanage (?:your )?(?:subscriptions?|preferences)|\byou (?:get|receive|are receiving|received) this (?:e-?mail|mail|newsletter|issue)\b/i,
  ],
  some: [
    /\b(?:weekly|newsletter|digest|monthly|bulletin|roundup|issue)\b.{0,30}#\s?\d{1,4}\b/i,
    /\bview (?:it |this )?(?:e-?mail |mail |issue )?(?:in|on) (?:your |the )?(?:browser|web)\b/i,
    /\b(?:tool|tip|tweet|talk|quote|project|podcast|chart) of the (?:week|month|day)\b/i,
    /\bCFPs?\b|^\W*(?:jobs?|hiring|sponsor(?:ed by|s)?|upcoming|reading list|around the web)\b.{0,20}[:–-]/i,
    /\[read\]|\bread (?:more|the (?:post|article))\b|\b(?:fun|good|long) read\b|\d min(?:utes?)? read\b/i,
  ],
  someMin: 3,
};

const ABSTRACT: PaperKind = {
  what: 'announces a talk; give the lines that your machine printed.',
  all: [
    /\b(?:in this (?:talk|session|workshop|tutorial|lightning talk)|attendees|(?:this|the|my|our) (?:talk|session|workshop) (?:will |also )?(?:shows?|covers?|explains?|tells?|walks?|presents?|looks?))\b/i,
  ],
  some: [
    /^\W*(?:speakers?|presenters?|presented by|bio)\b/i,
    /^\W*(?:track|room|level|format|duration|session (?:type|id|level)|audience)\s?[:–-]/i,
    /^\W*(?:talk )?abstract\b/i,
    /\b(?:KubeCon|re:Invent|SREcon|FOSDEM|KCD|Kubernetes Community Days|Cloud Native (?:Rejekts|Days?)|ContainerDays|CFP|CfP|meetup)\b/,
    /\b(?:key takeaways|(?:you|attendees) will (?:learn|leave|walk away|see)|no prior knowledge)\b/i,
  ],
  someMin: 2,
};

const STORY: PaperKind = {
  what: 'asks for a feature; give the lines of a machine that is not usable.',
  all: [
    /^\W{0,6}As an? (?!workaround|result|consequence|last|first|next|side)\w.{2,160}/i,
    /\bI (?:want|need|wish|would like)\b|\bI'd like\b/i,
  ],
  some: [
    /\b(?:so that|in order to)\b/i,
    /\bacceptance criteria\b|^\W*(?:Given|When|Then)\b/i,
    /\bstory points?\b|\b\d{1,2} points?\b|\bpriority\s?:|\bepic\b|\bbacklog\b|\bstory\b|\blabels?\s?:/i,
    /\b(?:out of scope|definition of done|non-goals)\b/i,
  ],
  someMin: 2,
  unless: HAPPENED,
};

const WISH: PaperKind = {
  what: STORY.what,
  all: [
    /\b(?:feature|enhancement) request\b|\[feature\]|\bRFE\b|^\W*kind\/feature\b/i,
    /\bit would be (?:nice|great|helpful|useful|good)\b|\bwould like to see\b|\bplease (?:add|support|consider)\b|\bshould (?:offer|support|allow|have an option)\b|\b(?:I|we) propose\b/i,
  ],
  some: [
    /\balternatives\b/i,
    /\b(?:use case|motivation)\b/i,
    /\bnice to have\b|\bnot (?:urgent|blocking|a bug)\b|\bno (?:urgency|hurry)\b/i,
  ],
  someMin: 2,
};

/** Not all came up, or the report says that its aim was missed. */
const MISSED =
  /\b(?:never (?:joined|came)|(?:did|have|has)(?:n't| not) (?:join|yet join|c[ao]me)|[1-9]\d{0,5} (?:[a-z]{1,12} )?(?:are|is|were|remain|remains|remained) (?:still )?missing|miss(?:ed|es) (?:the|our|its)|breach(?:ed)?|exhausted|budget left\s?:?\s?-)/i;
/** A row of a table, or a line that begins with a count. */
const COUNTED = /^\s*\|.{1,400}\|\s*$|^\s{0,8}(?:[-*•] {1,3})?\d[\d ,.]{0,12} [A-Za-z]/;

const SLO_REPORT: PaperKind = {
  what: 'reports on an objective that was met; give the lines of a machine that is not usable.',
  all: [
    /\b(?:SLOs?|SLIs?|error budget|service level objective)\b/i,
    /\d\s?%/,
    /\bjoined (?:afterwards|later|in the end|anyway|after all)\b|\bno (?:node|machine|instance)s? (?:was|were|is|are) (?:still |ever )?(?:missing|lost|left)\b|\ball (?:of them |others |the rest |nodes )?(?:joined|came up)\b/i,
  ],
  some: [
    /\b(?:window|period|objective|owner|target)\s?:/i,
    /\bp(?:50|90|95|99)\b/i,
    /\bnext review\b|\baction items?\b/i,
    COUNTED,
    /\bbudget (?:left|remaining|used)\b/i,
    /\b(?:daily|weekly|monthly|quarterly|reliability|availability) (?:[a-z]{1,20} )?report\b/i,
  ],
  someMin: 2,
  unless: MISSED,
};

const COST_REPORT: PaperKind = {
  what: 'reports on costs; give the lines of a machine that is not usable.',
  all: [
    /\b(?:costs?|spend(?:ing)?|savings?|invoice|finops)\b/i,
    /(?:[$€£]|\bUSD|\bEUR)\s?\d|\d\s?(?:USD|EUR|[$€£])/,
    /\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|FY\d{2,4}|month|quarter|week \d{1,2})\b/,
  ],
  some: [
    /\b(?:month over month|MoM|vs\.? (?:last|previous|january|february|q[1-4])|forecast|month to date|MTD)\b/i,
    /\b(?:period|owner|cost cent(?:er|re)|prepared (?:by|for)|report|cost review)\b/i,
    /\d\s?%/,
    COUNTED,
  ],
  someMin: 2,
  unless: MISSED,
};

export const PAPER_KINDS: readonly PaperKind[] = [
  RUNBOOK,
  EXAM,
  INTERVIEW,
  DECISION_RECORD,
  FLASH_CARDS,
  MARKDOWN_MANUAL,
  NEWSLETTER,
  ABSTRACT,
  STORY,
  WISH,
  SLO_REPORT,
  COST_REPORT,
];
