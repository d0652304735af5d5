const TO_BE_ESCAPED = /["\\\t<>&]/;
const HTML_SENSITIVE = /[<>&]/g;

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Go's encoding/json writes `<`, `>` and `&` as `\u003c`, `\u003e` and `\u0026` by default. */
function htmlEscaped(text: string): string {
  const escape = (char: string): string => `\\u00${char.charCodeAt(0).toString(16)}`;
  return text.replace(HTML_SENSITIVE, escape);
}

/**
 * Every spelling under which `text` occurs in a log: itself, as part of a JSON or Go-quoted string
 * (`"` is `\"`), quoted twice (a quoted error inside a JSON line), and with Go's HTML escapes.
 * The first one is `text`; there are no duplicates.
 */
export function escapedForms(text: string): readonly string[] {
  if (!TO_BE_ESCAPED.test(text)) return [text];
  const once = jsonEscaped(text);
  return [...new Set([text, once, jsonEscaped(once), htmlEscaped(text), htmlEscaped(once)])];
}
