import { TIME_OF_DAY } from './time-of-day.ts';

/** Rules of log routers, searches and workflows: the messages in them are looked for, not printed. */

/** A section of Fluent Bit and the lines that belong to it. */
const FLUENT_BIT =
  /^\s{0,12}\[(?:SERVICE|INPUT|FILTER|OUTPUT|PARSER|MULTILINE_PARSER|CUSTOM)\]\s*$/;
const FLUENT_BIT_KEY = /^\s+(?:[A-Za-z][\w.@-]{0,40}\s+\S|#|@)/;
/** A section of Fluentd, and its end. */
const FLUENTD =
  /^\s{0,12}<(?:source|match|filter|label|system|store|rule|exclude|regexp|and|or|grep|parse)(?:\s[^<>]{1,200})?>\s*$/;
const FLUENTD_END =
  /^\s{0,12}<\/(?:source|match|filter|label|system|store|rule|exclude|regexp|and|or|grep|parse)>\s*$/;
/** A section of Logstash, which is known by what stands in it. */
const LOGSTASH = /^\s{0,8}(?:input|filter|output)\s{0,4}\{\s*$/;
const LOGSTASH_WORDS =
  /^\s{1,40}(?:if|else if) [^\n]{0,200}\[|\s=>\s|^\s{1,40}(?:grok|mutate|drop|beats) \{/;
/** A section of Vector. */
const VECTOR =
  /^\s{0,8}\[(?:sources|transforms|sinks|enrichment_tables|tests)\.[\w."-]{1,80}\]\s*$/;
/** A key of it, or a line of its language. */
const VECTOR_LINE = /^(?:[\w."-]{1,80}\s?=\s?\S|if |else\b|\}|\.\w|'''|\w{1,40}!?\()/;

/** Queries of Loki, CloudWatch and Splunk, and what a test of a shell expects. */
const QUERY =
  /\{\s?\w{1,60}\s?(?:=~?|!=|!~)\s?["'`][^{}]{0,200}\}\s{0,4}(?:\|=|\|~|!=|!~)|^\s{0,8}\|?\s{0,4}filter @?[\w.]{1,60} (?:like|not like|=~) \S|^\s{0,8}(?:search )?index=\S{1,80} .{0,400}\| (?:stats|timechart|table|where|top) |^\s{1,20}(?:assert|refute)_(?:output|line|regex|stderr)\b/;
/** Top-level YAML keys of the files of a router or a workflow. */
const YAML_HEAD =
  /^(?:scrape_configs|pipeline_stages|transforms|sources|sinks|receivers|processors):\s*$/;

const WORKFLOW_KEY =
  /^(?:"?on"?|name|run-name|jobs|env|permissions|concurrency|defaults|stages|variables|workflow|include|default|image|before_script|trigger|pr|pool|steps|version|orbs|workflows|executors|commands)\s?:/;
/** A job of GitLab; a sentence before a log ends in a colon too. */
const JOB_KEY = /^[.a-z][\w./-]{0,60}:\s*$/;
const JOBS = /^\s{0,8}(?:jobs|stages|workflows|pipeline):/;
const STEPS = /^\s{1,20}(?:steps|script|before_script|runs-on):/;

/** What Terraform makes to watch others. */
const MONITOR =
  /^resource "(?:(?:datadog|grafana|newrelic|opsgenie|pagerduty|signalfx|dynatrace)_\w{1,60}|aws_cloudwatch_(?:metric_alarm|composite_alarm|dashboard|log_metric_filter|query_definition))" /;

/** The end of a block: the first line from here on that does not belong to it. */
function blockEnd(lines: readonly string[], from: number, isOf: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && isOf(lines[end] ?? '') && !TIME_OF_DAY.test(lines[end] ?? '')) end++;
  return end;
}

function isBlankOrNote(line: string): boolean {
  return line.trim() === '' || /^\s*#/.test(line);
}

function isIndented(line: string): boolean {
  return isBlankOrNote(line) || /^\s/.test(line);
}

/** The line behind the one that closes what this one opens; null where nothing does. */
function closedAt(
  lines: readonly string[],
  from: number,
  opens: RegExp,
  closes: RegExp,
): number | null {
  let depth = 0;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (TIME_OF_DAY.test(line)) return null;
    if (opens.test(line)) depth++;
    if (closes.test(line)) depth--;
    if (depth === 0) return index + 1;
  }
  return null;
}

function logstashEnd(lines: readonly string[], from: number): number | null {
  const end = closedAt(lines, from, /\{\s*$/, /^\s*\}/);
  const isLogstash = lines.slice(from, end ?? from).some((line) => LOGSTASH_WORDS.test(line));
  return isLogstash ? end : null;
}

/** Where the section ends that begins here; null where none begins. */
function sectionEnd(lines: readonly string[], at: number): number | null {
  const line = lines[at] ?? '';
  if (FLUENT_BIT.test(line))
    return blockEnd(lines, at + 1, (one) => isBlankOrNote(one) || FLUENT_BIT_KEY.test(one));
  if (FLUENTD.test(line)) return closedAt(lines, at, FLUENTD, FLUENTD_END);
  if (MONITOR.test(line)) return closedAt(lines, at, /\{\s*$/, /^\s*\}/);
  if (LOGSTASH.test(line)) return logstashEnd(lines, at);
  if (VECTOR.test(line))
    return blockEnd(lines, at + 1, (one) => isIndented(one) || VECTOR_LINE.test(one));
  if (YAML_HEAD.test(line))
    return blockEnd(lines, at + 1, (one) => isIndented(one) || one.startsWith('- '));
  return workflowEnd(lines, at);
}

/** Where the workflow ends that begins here; null where its jobs have no steps. */
function workflowEnd(lines: readonly string[], at: number): number | null {
  if (!WORKFLOW_KEY.test(lines[at] ?? '')) return null;
  const end = blockEnd(
    lines,
    at,
    (line) =>
      isIndented(line) || WORKFLOW_KEY.test(line) || JOB_KEY.test(line) || line.startsWith('- '),
  );
  const block = lines.slice(at, end);
  const isWorkflow =
    block.some((line) => JOBS.test(line)) && block.some((line) => STEPS.test(line));
  return isWorkflow ? end : null;
}

/** The numbers of the lines that are rules. */
export function rulesIn(lines: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  for (let index = 0; index < lines.length; ) {
    const end = sectionEnd(lines, index);
    const line = lines[index] ?? '';
    if (end === null && QUERY.test(line)) found.add(index);
    for (let at = index; at < (end ?? index); at++) found.add(at);
    index = Math.max(index + 1, end ?? 0);
  }
  return found;
}

/** What a search program is told to look for, where it names several messages. */
const SEARCHED =
  /(\b(?:z?e?grep|rg|ag|ack|awk|journalctl|Select-String)\b[^|"'\n]{0,120})("[^"\n]{0,600}\|[^"\n]{0,600}"|'[^'\n]{0,600}\|[^'\n]{0,600}')/g;

/** What filters of other kinds look for, which stands in objects that are read as a whole. */
const PATTERN =
  /((?:^\s{0,40}(?:- )?|[{,]\s{0,4})["']?(?:patterns?|regexp?|match_pattern|filter_?[Pp]attern|FilterPattern)["']?\s{0,20}[:=]\s{0,20})(?:"(?:[^"\\\n]|\\.){1,600}"|'[^'\n]{1,600}')/g;
/** What a monitor asks for. */
const ASKED = /^(\s{0,40}["']?query["']?:\s{0,20})(?:"(?:[^"\\\n]|\\.){1,600}"|'[^'\n]{1,600}')/;
/** What a command of AWS is told to look for. */
const OPTION =
  /(--(?:filter-pattern|metric-name|query-string|alarm-name|alarm-description)[ =])(?:"[^"\n]{1,600}"|'[^'\n]{1,600}'|[^\s"'-]\S{0,200})/g;

/** The lines without the messages that a command or a filter looks for in what is printed. */
export function withoutSearched(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (TIME_OF_DAY.test(line) ? line : maskedLine(line)));
}

function maskedLine(line: string): string {
  const found = line.includes('|') ? line.replaceAll(SEARCHED, "$1''") : line;
  return found.replaceAll(PATTERN, '$1""').replaceAll(OPTION, '$1""').replace(ASKED, '$1""');
}
