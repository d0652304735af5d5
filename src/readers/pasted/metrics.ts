/** Metrics as programs expose them: names and labels quote errors that may never have come. */

/** `# HELP name words` and `# TYPE name counter`. */
const DESCRIBED =
  /^\s{0,8}# (?:HELP [a-zA-Z_:][\w:]{0,200} |TYPE [a-zA-Z_:][\w:]{0,200} (?:counter|gauge|histogram|summary|untyped|unknown|info|stateset)\s*$|UNIT |EOF\s*$)/;
const VALUE = String.raw`(?:=>\s{0,4})?[+-]?(?:\d[\d.eE+-]{0,40}|NaN|Inf)(?:\s+-?\d[\d.]{0,20}|\s+@\[[\d.]{1,20}\])?(?:\s+# \{.{0,200})?`;
/** A sample with labels: no program logs in this form. */
const LABELED = new RegExp(
  String.raw`^\s{0,8}(?:[a-zA-Z_:][\w:]{0,200})?\{[a-zA-Z_][\w.]{0,100}="(?:[^"\\]|\\.){0,500}"[^{}]{0,4000}\}\s+${VALUE}\s*$`,
);
/** A sample without labels, which is one only behind another line of metrics. */
const BARE = new RegExp(String.raw`^\s{0,8}[a-zA-Z]\w{0,200}_\w{1,100} ${VALUE}\s*$`);

/** The numbers of the lines that are metrics; no cause reads them. */
export function metricsIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  let isBehindMetric = false;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    isBehindMetric =
      DESCRIBED.test(line) || LABELED.test(line) || (isBehindMetric && BARE.test(line));
    if (isBehindMetric) found.add(index);
  }
  return found;
}
