import type { CliContext } from '../context.ts';
import { completionAnswer } from '../completion/answer.ts';
import { completionAsk } from '../completion/ask.ts';
import { lookUp } from '../completion/look-up.ts';
import { EXIT } from '../exit-code.ts';

/** Answers a shell: `rollcall __complete WORDS…`, the last of which is under the cursor. */
export async function completeCommand(
  words: readonly string[],
  context: CliContext,
): Promise<number> {
  const asked = completionAsk(words.length === 0 ? [''] : words);
  const candidates = [...asked.fixed, ...(await lookUp(asked))];
  context.out(completionAnswer(asked, words.at(-1) ?? '', candidates));
  return EXIT.usable;
}
