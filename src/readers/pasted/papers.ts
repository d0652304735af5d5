import { isCommandEcho } from '../line/prompt.ts';
import { ANSWER_START, DESCRIBE_START, RECORD_START, TABLE_HEADER } from '../text/starts.ts';
import type { PaperKind } from './paper-kinds.ts';
import { TIME_OF_DAY } from './time-of-day.ts';

/** Papers that people write about failures in general; each kind is known by marks that only it has together. */

/** A machine; what is said beside it is of that machine. */
const MACHINE = /\bi-[0-9a-f]{8,17}\b|\bip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}\b/;
/** What programs print around an error, and papers leave out. */
const ERROR =
  /\(Service: \w{1,60}; Status Code: \d|\bStatus Reason: |\b(?:request ?id|RequestID)\b: ?[0-9a-f]|\bapi error \w{1,80}: |\bAn error occurred \(|^\s*(?:kubelet|kubeadm|nodeadm|containerd|aws-node|ipamd|karpenter|cloud-init)(?:\[\d{1,7}\])?: \S/i;
/** Whoever writes so has the trouble, and shows what follows. */
const OWN =
  /\b(?:my|our|ours|mine) (?:[\w-]{1,20} ){0,2}(?:nodes?|machines?|instances?|workers?|kubelets?|cluster|logs?|console|journal|node ?groups?|pods?)\b|\b(?:I|we) (?:now |just |still |again |also |only )?(?:see|saw|get|got|have|had|hit|ran|run|tried|followed|did|found|can't|cannot)\b(?!\W{1,3}(?:not|never|no)\b)|\b(?:I'm|we're|I am|we are|now|it) (?:still |now |again )?(?:seeing|getting|stuck|facing|hitting|prints?|says?|shows?|fails?)\b|\bany ideas?\b|\bwhat (?:is|could be) wrong\b|\b(?:does not|doesn't|won't|no longer) (?:work|join|start)s?\b/i;
/** What a program printed follows at once. */
const INTRODUCED =
  /\b(?:output|results?|logs?|journal|console|prints?|printed|says|shows?|showed|(?:got|get|see) this|here (?:is|are|it is))\b[^:]{0,60}:\s*$/i;

/** A field of a ticket with what is so. */
const OBSERVED = /^\W{0,4}(?:actual|observed|seen|results?|findings?|current(?:ly)?)\b[^:]{0,40}:/i;

type Side = 'paper' | 'printed' | 'told';

/** What a program printed, what a person tells of a machine, or what may be of a paper. */
function sideOf(line: string): Side {
  const isPrinted =
    TIME_OF_DAY.test(line) ||
    [RECORD_START, TABLE_HEADER, ANSWER_START, DESCRIBE_START].some((start) => start.test(line)) ||
    isCommandEcho(line);
  if (isPrinted || MACHINE.test(line) || ERROR.test(line)) return 'printed';
  return [OWN, INTRODUCED, OBSERVED].some((words) => words.test(line)) ? 'told' : 'paper';
}

interface Run {
  readonly from: number;
  readonly end: number;
}

/** The stretches of lines which may be of a paper; none begins below what a person tells. */
function runsOf(lines: readonly string[]): readonly Run[] {
  const runs: Run[] = [];
  let from = 0;
  let before: Side = 'paper';
  for (let index = 0; index <= lines.length; index++) {
    const side = index < lines.length ? sideOf(lines[index] ?? '') : 'printed';
    if (side === 'paper') continue;
    if (index > from && before !== 'told') runs.push({ from, end: index });
    from = index + 1;
    before = side;
  }
  return runs;
}

function has(lines: readonly string[], mark: RegExp): boolean {
  return lines.some((line) => mark.test(line));
}

function isPaper({ all, some, someMin, unless }: PaperKind, lines: readonly string[]): boolean {
  if (!all.every((mark) => has(lines, mark))) return false;
  if (unless !== undefined && has(lines, unless)) return false;
  return some.filter((mark) => has(lines, mark)).length >= someMin;
}

/** The numbers of the lines that are a paper of this kind. */
export function papersIn(lines: readonly string[], kind: PaperKind): ReadonlySet<number> {
  const found = new Set<number>();
  if (!kind.all.every((mark) => has(lines, mark))) return found;
  const marks = [...kind.all, ...kind.some];
  for (const { from, end } of runsOf(lines)) {
    const run = lines.slice(from, end);
    if (!isPaper(kind, run)) continue;
    // What is above its first mark may go on with what was printed before.
    const first = run.findIndex((line) => marks.some((mark) => mark.test(line)));
    for (let at = from + first; at < end; at++) found.add(at);
  }
  return found;
}
