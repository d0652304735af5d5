import { type DiagnoseArguments, diagnoseAnswer, unknownIn } from '../../cli/commands/diagnose.ts';
import { type CliContext, UsageError } from '../../cli/context.ts';
import { diagnosisToolAnswer } from '../diagnosis-answer.ts';
import { declareTool, type Session } from '../tool.ts';
import { MACHINES, PATHS, TEXT_CHARS_MAX } from './arguments.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

function withText(context: CliContext, text: string | null): CliContext {
  return text === null ? context : { ...context, stdin: () => bytesOf(text) };
}

/** As the command asks; nothing that is a person's to allow is open to a tool. */
function questionOf(
  names: readonly string[],
  paths: readonly string[],
  { flags, isDeep }: Session,
): DiagnoseArguments {
  return {
    paths,
    names,
    output: 'json',
    live: flags,
    contexts: [],
    sinceMs: null,
    waits: false,
    isAll: true,
    isDeep,
    onRequest: new Set(),
    isHost: false,
    record: null,
    at: null,
    save: null,
    isAnonymous: false,
  };
}

export const diagnoseTool = declareTool({
  name: 'diagnose',
  title: 'Why a machine is not a usable Node',
  description:
    'Names the cause that keeps AWS machines from being usable Kubernetes Nodes, with the lines that prove it, the fix, and the one question to ask next where the evidence does not decide. Use it on the live cluster (machines, or nothing for all), on files (paths), or on text that the person pasted (text).',
  input: {
    machines: MACHINES,
    paths: PATHS,
    text: {
      kind: 'text',
      value: 'TEXT',
      charsMax: TEXT_CHARS_MAX,
      help: 'Lines of a log or the output of a command, as they are, instead of the live cluster',
    },
  },
  required: [],
  isOpenWorld: true,
  answer: async ({ machines, paths, text }, { session, context }) => {
    const files = await session.allowed.pathsIn(paths);
    const given = text === null ? files : [...files, '-'];
    if (given.length > 0 && machines.length > 0)
      throw new UsageError(
        'machines are of the live cluster; ask about files or text without them',
      );
    const question = questionOf(machines, given, session);
    const answer = await diagnoseAnswer(question, withText(context, text));
    const unknown = await unknownIn(answer);
    const losses = [...(unknown?.losses ?? []), ...answer.document.losses];
    if (unknown?.isSure === true && answer.document.subjects.length === 0)
      throw new UsageError(unknown.lines.join(' '));
    return diagnosisToolAnswer({ ...answer.document, losses });
  },
});
