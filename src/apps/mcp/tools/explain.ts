import { causeOf } from '../../../causes/catalogue.ts';
import { renderCausePage } from '../../../diagnosis/report/cause-page.ts';
import { searchCauses } from '../../../engine/search.ts';
import { causeNamed } from '../../cli/commands/explain.ts';
import { UsageError } from '../../cli/context.ts';
import { quoted } from '../../cli/options/quoted.ts';
import { declareTool, nextTool, type ToolAnswer } from '../tool.ts';

/** Words of a message may be a few lines. */
const ASKED_CHARS_MAX = 20_000;

async function matches(asked: string): Promise<ToolAnswer> {
  const found = await searchCauses(asked);
  const [first] = found;
  if (first === undefined)
    throw new UsageError(
      `no cause resembles ${quoted(asked)}; give other words, or the lines themselves to diagnose`,
    );
  const listed = found.map(({ entry, likeness }) => ({
    cause: entry.id,
    stage: entry.stage,
    title: entry.title,
    likeness: Math.round(likeness * 100) / 100,
  }));
  return {
    answer: { matches: listed },
    next: nextTool('Is it the first of these?', 'explain', { ask: first.entry.id }),
    untrusted: null,
  };
}

export const explainTool = declareTool({
  name: 'explain',
  title: 'Explain a cause, or search for one',
  description:
    'With the id of a cause: why it happens, what shows it, how to fix and prevent it, and what looks alike. With words or an error message: the causes that they are most likely about. It looks at no cluster and proves nothing; use diagnose for that.',
  input: {
    ask: {
      kind: 'text',
      value: 'CAUSE|WORDS',
      charsMax: ASKED_CHARS_MAX,
      help: 'The id of a cause, such as aws-auth-missing, or words to search for',
    },
  },
  required: ['ask'],
  isOpenWorld: false,
  answer: async ({ ask }) => {
    const asked = (ask ?? '').trim();
    const entry = causeNamed(asked);
    if (entry === null) return matches(asked);
    const { id: cause, stage, title } = entry;
    const page = renderCausePage(causeOf(await entry.load()));
    return { answer: { cause, stage, title, page }, next: null, untrusted: null };
  },
});
