import { base64 } from './base64.ts';

/** One part of user data: what it is, and its text. */
export interface Part {
  readonly type: 'application/node.eks.aws' | 'text/x-shellscript';
  readonly body: string;
}

/** A mark that no line of the parts is, so that none of them ends where its text says so. */
function markFor(parts: readonly Part[]): string {
  let mark = '//';
  while (parts.some(({ body }) => body.includes(mark) && body.includes(`--${mark}`))) mark += '/';
  return mark;
}

/** User data of several parts, in base64 as a launch template has it. */
export function mimeOf(parts: readonly Part[]): string {
  const mark = markFor(parts);
  const head = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${mark}"\n`;
  const rows = parts.map(({ type, body }) => `--${mark}\nContent-Type: ${type}\n\n${body}`);
  return base64([head, ...rows, `--${mark}--`, ''].join('\n'));
}
