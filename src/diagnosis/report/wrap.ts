/** A word in pieces of at most `width` columns. */
function pieces(word: string, width: number): readonly string[] {
  const count = Math.ceil(word.length / width);
  return Array.from({ length: count }, (_, rank) => word.slice(rank * width, (rank + 1) * width));
}

/** Words of a text put on lines of at most `width` columns; a longer word is broken. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const words = text.split(/\s+/).filter((part) => part !== '');
  for (const word of words.flatMap((one) => pieces(one, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** Words of a shell command; a quoted part stays whole. */
function shellWords(command: string): readonly string[] {
  return command.match(/(?:"[^"]*"|'[^']*'|[^\s"']+|["'])+/g) ?? [];
}

/** A command on lines of at most `width` columns, joined by the shell when they are pasted. */
export function wrapCommand(command: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of shellWords(command)) {
    if (line !== '' && line.length + word.length + 3 > width) {
      lines.push(`${line} \\`);
      line = `  ${word}`;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}
