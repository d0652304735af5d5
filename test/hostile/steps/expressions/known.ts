import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tokenize } from '../../../architecture/tokens.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

export interface KnownExpression {
  /** Its file, or `constructed` for one that is put together when the product starts. */
  readonly file: string;
  readonly expression: RegExp;
}

function writtenIn(file: string): readonly KnownExpression[] {
  return tokenize(readFileSync(join(ROOT, file), 'utf8'))
    .filter(({ kind }) => kind === 'regex')
    .map(({ text }) => {
      const end = text.lastIndexOf('/');
      return { file, expression: new RegExp(text.slice(1, end), text.slice(end + 1)) };
    });
}

/** Every expression that is written down in the readers and in what cuts secrets out. */
export function writtenExpressions(): readonly KnownExpression[] {
  const files = globSync(['src/readers/**/*.ts', 'src/evidence/**/*.ts'], { cwd: ROOT });
  return files.filter((file) => !/\btesting\.ts$|\.test\.ts$/.test(file)).flatMap(writtenIn);
}

/** From now on keeps each expression that is put together by `new RegExp`. */
export function collectConstructed(): readonly KnownExpression[] {
  const made: KnownExpression[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct: (target, given: [string, string?]) => {
      const expression: RegExp = Reflect.construct(target, given);
      made.push({ file: 'constructed', expression });
      return expression;
    },
  });
  return made;
}
