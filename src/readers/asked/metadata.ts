import type { PassageReading } from '../passage.ts';

/** A question of a person about the role of a machine; one asked inside a pod is about the pod. */
const QUESTION =
  /^(?!.{0,200}\b(?:kubectl|oc|docker|crictl|nerdctl) (?:\S{1,80} ){0,4}?(?:exec|rsh|run)\b).{0,200}\b(?:curl|wget)\b.{0,400}\b169\.254\.169\.254(?<path>\/latest\/meta-data\/iam\/(?:info|security-credentials\/?))(?=["'`)\s]|$)/;
/** How curl and wget show a status: alone by `-w`, as a header, in the page, or in an error. */
const STATUS =
  /^(?:\s{0,8}(?=[1-5]\d\d\s{0,8}$)|(?:< |\s{0,4})HTTP\/[\d.]{1,3} |.{0,200}(?:<title>|returned error: |awaiting response\.{3} ))(?<status>\d{3})\b/;
const LINES_MAX = 30;
/** What stands alone where a role was asked for is its name. */
const ROLE = /^[A-Za-z][\w+=,.@-]{0,63}$/;

function statusIn(lines: readonly string[]): string | null {
  for (const line of lines) {
    if (QUESTION.test(line)) return null;
    const status = STATUS.exec(line)?.groups?.['status'];
    if (status !== undefined) return status;
  }
  return ROLE.test(lines[0]?.trim() ?? '') ? '200' : null;
}

/** Says with which status instance metadata answered the question for the role of the machine. */
export function readMetadata(passage: PassageReading, lines: readonly string[]): void {
  const nobody = { when: null, host: null, about: null } as const;
  for (const [index, line] of lines.entries()) {
    const path = QUESTION.exec(line)?.groups?.['path'];
    const status =
      path === undefined ? null : statusIn(lines.slice(index + 1, index + 1 + LINES_MAX));
    if (path === undefined || status === null) continue;
    const text = `GET ${path}: ${status}`;
    passage.say({ ...nobody, text, source: 'host-file', line: index + 1, isState: true });
  }
}
