/** Tests as people write them for programs: the messages in them are made up. */

/** The line with which one test or a group of them begins. */
const TEST =
  /^\s*(?:func (?:Test|Benchmark|Fuzz)\w*\(\w+ \*testing\.[TBF]\)|(?:async )?def test_\w{1,120}\(|class \w{0,80}Tests?(?:\(|:)|(?:describe|it|test|context)(?:\.\w{1,20})?\(\s?["'`]|(?:(?:public|private|async|suspend|pub) ){0,2}(?:void|fun|fn) [\w`]{0,80}[Tt]est[\w` ]{0,120}\(|RSpec\.describe |@test ["'])/;
/** What only a test does: it names a case, or compares what it got with what it wants. */
const CHECK =
  /\bt\.(?:Run|Errorf?|Fatalf?|Parallel|Helper)\(|\b(?:assert|require|expect|check)(?:\.\w{1,40}|_\w{1,40}|[A-Z]\w{1,40})?!?\(|^\s+assert \S|\bself\.assert\w{1,40}\(|\bpytest\.(?:raises|mark)|\.(?:toBe|toEqual|toThrow|toMatch|toContain)\w{0,30}\(|^\s+(?:run |assert_|refute_|\[ "\$status")/;
/** What marks the function below it as a test. */
const MARKED =
  /^\s*(?:@(?:Test|ParameterizedTest|RepeatedTest|CsvSource|ValueSource|MethodSource|DisplayName|pytest\.\w{1,40}|parameterized\.\w{1,40}|mock\.patch|patch)\b|#\[(?:\w{1,20}::)?(?:test|rstest|test_case|case)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase|InlineData)\b)/;
const MARKS_MAX = 400;
/** A function of any name. */
const DECLARED = /^\s*[\w@<>[\] ]{0,120}\b\w{1,120}\s?\(|^\s*(?:async )?def \w/;
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

/** The line behind a test and the marks above it; null where no test begins here. */
function testAt(lines: readonly string[], from: number): number | null {
  const indent = indentOf(lines[from] ?? '');
  let begin = from;
  while (begin - from < MARKS_MAX && MARKED.test(lines[begin] ?? ''))
    begin = testEnd(lines, begin, indent);
  const isBegun = begin > from ? DECLARED.test(lines[begin] ?? '') : TEST.test(lines[begin] ?? '');
  return isBegun ? testEnd(lines, begin, indent) : null;
}

/** The numbers of the lines that are tests with something to check. */
export function testsIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < lines.length; ) {
    const end = testAt(lines, index);
    const isTest = end !== null && lines.slice(index, end).some((line) => CHECK.test(line));
    if (isTest) for (let at = index; at < end; at++) found.add(at);
    index = isTest ? end : index + 1;
  }
  return found;
}
