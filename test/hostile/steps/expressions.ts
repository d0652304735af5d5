import { type Count, replaceMethod } from './natives.ts';

/** What an expression looked at: from where it began to where it matched, else to the end. */
function lookedAt(
  { sticky, source }: RegExp,
  text: string,
  from: number,
  match: RegExpExecArray | null,
): number {
  if (match !== null) return match.index + match[0].length - from + 1;
  const isFixed = sticky || source.startsWith('^');
  return isFixed ? 1 : text.length - from + 1;
}

type Exec = (this: RegExp, text: string) => RegExpExecArray | null;

/** Lets every use of a regular expression be counted, in this process, from now on. */
export function countExpressions(count: Count): void {
  // Every other method of expressions calls this one once it is changed.
  replaceMethod<Exec>(
    RegExp.prototype,
    'exec',
    (original) =>
      function counted(text) {
        const from = this.global || this.sticky ? this.lastIndex : 0;
        const match = Reflect.apply(original, this, [text]);
        count(lookedAt(this, text, from, match));
        return match;
      },
  );
}
