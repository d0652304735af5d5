import { REDACTED } from './mark.ts';
import { valueAt } from './values.ts';

/** A variable or a field, up to its value. */
const ASSIGNMENT = /(?<=^|[\s"'`;,{(])[A-Za-z_][\w.-]{0,80}["']?(?:=|:[ \t]{1,4})(?=[^\s=])/gm;

/** Paths, addresses, numbers, names and flags, by which machines are set up. */
const PLAIN =
  /^(?:[\w.-]{0,20}\/[\w./@:+$~-]*|https?:\/\/[\w.:-]+(?:\/[\w./-]*)?|[a-z]{2,10}:\/\/[\w./-]+|\d[\d.:/,]*|v?\d[\w.-]*|[A-Za-z]+|[a-z][a-z0-9]*(?:[-_.:=/,][a-z0-9*]+)*|[A-Z]+(?:_[A-Z]+)*|-[\w-]+(?:=[\w./:,-]*)?|arn:aws[\w-]*:[\w:/.-]+|‹.*|\$.*|<.*|[{[|>&*%].*)$/;

/**
 * Text of a script or of settings without any value that is not plain: in what people write for
 * their machines any variable may hold a secret.
 */
export function redactAssignments(text: string): string {
  let clean = '';
  let done = 0;
  for (const match of text.matchAll(ASSIGNMENT)) {
    if (match.index < done) continue;
    const { from, to } = valueAt(text, match.index + match[0].length);
    const value = text.slice(from, to);
    if (value === '' || value.split(/\s+/).every((word) => PLAIN.test(word))) continue;
    clean += `${text.slice(done, from)}${REDACTED}`;
    done = to;
  }
  return clean === '' ? text : clean + text.slice(done);
}
