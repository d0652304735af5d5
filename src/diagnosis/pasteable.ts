const TOKEN = /"[^"]*"|'[^']*'|[^\s'"|;&()]+/g;

/** A query, a template or a URL; patterns of file names begin with their folder. */
const PATTERN = /^(?![/~*[])[^$]*[\w.=:\]/-][[?][^$]*$/;

/**
 * A command whose words mean in zsh what they mean in bash: zsh takes an open bracket or question
 * mark for a pattern of file names, and drops the line where no file fits.
 */
export function pasteable(command: string): string {
  return command.replace(TOKEN, (word) =>
    /^["']/.test(word) || !PATTERN.test(word) ? word : `'${word}'`,
  );
}
