import { nameAnswer } from '../../cli/commands/name.ts';
import { NAME } from '../../cli/declared/name.ts';
import { declareTool } from '../tool.ts';
import { PATHS, questionsOf } from './arguments.ts';

const MACHINE = {
  kind: 'text',
  value: 'MACHINE',
  help: 'Instance id, Node name or address; all machines when omitted',
} as const;

export const nameTool = declareTool({
  name: 'name',
  title: 'Which Node name a machine gets',
  description:
    'Shows the name under which a machine registers, the rule that produces it, and which of its other names disagree. Use it when a Node has an unexpected name, is missing under the expected one, or before the AWS cloud provider is turned on. With subnet, image and version it answers before launch.',
  input: { machine: MACHINE, paths: PATHS, ...questionsOf(NAME.options) },
  required: [],
  isOpenWorld: true,
  answer: async ({ machine, paths, ...values }, { session, context }) => {
    const files = await session.allowed.pathsIn(paths);
    const names = machine === null ? [] : [machine];
    const question = { values, flags: session.flags, paths: files, names };
    const { documents, verdict } = await nameAnswer(question, context);
    return {
      answer: { verdict, machines: documents.length },
      next: null,
      untrusted: { machines: documents },
    };
  },
});
