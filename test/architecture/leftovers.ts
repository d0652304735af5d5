/** Notes to oneself, which belong in a tracker or are done. */
import {
  allTokens,
  at,
  type Check,
  isTypeScript,
  type SourceFile,
  type Violation,
} from './sources.ts';

const NOTE = /\b(?:TODO|FIXME|XXX|HACK)\b/;
const UNFINISHED = /\bnot (?:yet )?implemented\b/i;

export const leftovers: Check = {
  title: 'nothing is left half done',
  run: (files) => [
    ...files.filter(isTypeScript).flatMap(inCode),
    ...files.filter((file) => isProse(file)).flatMap(inProse),
  ],
};

function inCode(file: SourceFile): readonly Violation[] {
  const inProduct = file.path.startsWith('src/');
  const tokens = allTokens(file);
  return tokens.flatMap(({ kind, text, line }, index) => {
    const noted = kind === 'comment' && NOTE.test(text);
    const thrown = tokens[index - 2]?.text.endsWith('Error') === true;
    const unfinished = inProduct && kind === 'string' && thrown && UNFINISHED.test(text);
    return noted || unfinished ? [at(file, line, advice(text))] : [];
  });
}

function advice(text: string): string {
  return `${JSON.stringify(text.trim().slice(0, 60))} is left over; do it now or remove it`;
}

/** Logs that other programs printed are quoted as they are. */
function isProse(file: SourceFile): boolean {
  return (
    /\.(?:md|ya?ml|sh)$|^bin\/|^\.ci\//.test(file.path) && !/(?:^|\/)examples\//.test(file.path)
  );
}

function inProse(file: SourceFile): readonly Violation[] {
  return file.text
    .split('\n')
    .flatMap((line, index) => (NOTE.test(line) ? [at(file, index + 1, advice(line))] : []));
}
