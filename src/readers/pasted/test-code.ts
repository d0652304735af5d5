/** Tests as people write them for programs: the messages in them are made up. */

/** The line with which one test or a group of them begins. */
const TEST =
  /^(\s*)(?:func (?:Test|Benchmark|Fuzz)\w*\(\w+ \*testing\.[TBF]\)|(?:async )?def test_\w{1,120}\(|class \w{0,80}Tests?(?:\(|:)|(?:describe|it|test|context)(?:\.\w{1,20})?\(\s?["'`]|(?:(?:public|private|async|suspend|pub) ){0,2}(?:void|fun|fn) [\w`]{0,80}[Tt]est[\w` ]{0,120}\(|RSpec\.describe |@test ["'])/;
/** What only a test does: it names a case, or compares what it got with what it wants. */
const CHECK =
  /\bt\.(?:Run|Errorf?|Fatalf?|Parallel|Helper)\(|\b(?:assert|require|expect|check)(?:\.\w{1,40}|_\w{1,40}|[A-Z]\w{1,40})?!?\(|^\s+assert \S|\bself\.assert\w{1,40}\(|\bpytest\.(?:raises|mark)|\.(?:toBe|toEqual|toThrow|toMatch|toContain)\w{0,30}\(|^\s+(?:run |assert_|refute_|\[ "\$status")/;
const CLOSING = /^\s*[})\]]/;
const LINES_MAX = 2000;

function indentOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

/** The line behind the test that begins here: its own lines are indented further, or close it. */
function testEnd(lines: readonly string[], from: number, indent: number): number {
  const limit = Math.min(lines.length, from + LINES_MAX);
  for (let index = from + 1; index < limit; index++) {
    const line = lines[index] ?? '';
    if (line.trim() === '' || indentOf(line) > indent) continue;
    return CLOSING.test(line) ? index + 1 : index;
  }
  return limit;
}

/** The numbers of the lines that are tests with something to check. */
export function testsIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < lines.length; ) {
    const begin = TEST.exec(lines[index] ?? '');
    const end = begin === null ? index + 1 : testEnd(lines, index, begin[1]?.length ?? 0);
    const isTest = begin !== null && lines.slice(index, end).some((line) => CHECK.test(line));
    if (isTest) for (let at = index; at < end; at++) found.add(at);
    index = isTest ? end : index + 1;
  }
  return found;
}
