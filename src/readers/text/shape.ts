/** Blanks of one line only: a run of empty lines would be read again from each of them. */
const TABLE =
  /^[^\S\r\n\u2028\u2029]*(?:NAMESPACE\s+)?(?:NAME|LAST SEEN|LASTSEEN|FIRSTSEEN)\s+[A-Z][A-Z -]+/m;
const DESCRIBE = /^Name:\s+\S.*\n(?:Roles|Labels|Namespace|Annotations|Priority):/m;
const MANIFEST = /^(?:apiVersion|kind):\s/m;
const LOG_OBJECT = /"(?:msg|message|level|MESSAGE|__REALTIME_TIMESTAMP|log)"\s*:/;

/** True when the beginning of a document shows a dump (JSON, YAML, tables), not a log. */
export function looksStructured(head: string): boolean {
  const start = head.trimStart();
  if (start.startsWith('{') || start.startsWith('[')) {
    const firstLine = start.slice(0, start.indexOf('\n') < 0 ? undefined : start.indexOf('\n'));
    return !(LOG_OBJECT.test(firstLine) && firstLine.trimEnd().endsWith('}'));
  }
  return (
    MANIFEST.test(start.slice(0, 2000)) ||
    TABLE.test(start.slice(0, 2000)) ||
    DESCRIBE.test(start.slice(0, 4000))
  );
}

const LIST = /^\s*(?:\{[^[{]{0,400}"(?:items|[A-Z][A-Za-z]{3,40})"\s*:\s*\[|\[\s*\{)/;

/** True for a JSON document that is one list, which can be read element by element. */
export function looksLikeList(head: string): boolean {
  return LIST.test(head) && !LOG_OBJECT.test(head.slice(0, 400));
}
