import { printable } from '../../evidence/redact.ts';

/**
 * A line as expressions read it: escapes of JSON and klog undone, smart quotes straight,
 * doubled quotes of CSV single, no control characters.
 */
export function cleanLine(text: string): string {
  let line = /[\u0000-\u001f\u007f-\uffff]/.test(text) ? straighten(printable(text)) : text;
  if (line.includes('\\')) line = unescapeQuotes(line);
  if (line.includes('""')) line = line.replace(/""(?=\w)/g, '"').replace(/(?<=[\w./)])""/g, '"');
  return line.includes('&') ? unescapeEntities(line) : line;
}

function straighten(text: string): string {
  return text
    .replace(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\u00a0/g, ' ');
}

/** From the first of several backslashes only, since a run of them would be read again from each. */
function unescapeQuotes(line: string): string {
  return line
    .replace(/(?<!\\)\\+"/g, '"')
    .replace(/(?<!\\)\\+[nrt]/g, ' ')
    .replace(/\\u003[ce]/g, (code) => (code.endsWith('c') ? '<' : '>'));
}

function unescapeEntities(line: string): string {
  return line
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}
