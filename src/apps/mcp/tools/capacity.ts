import { capacityAnswer } from '../../cli/commands/capacity.ts';
import { CAPACITY } from '../../cli/declared/capacity.ts';
import { declareTool } from '../tool.ts';
import { MACHINES, PATHS, questionsOf } from './arguments.ts';

export const capacityTool = declareTool({
  name: 'capacity',
  title: 'Pods, ENIs, addresses and subnets',
  description:
    'Shows which limit ends first: pods of each Node, addresses that its ENIs hold, nodes that the subnets can still feed, leaked ENIs. Use it when pods or Nodes get no addresses. With type it computes an instance type before launch.',
  input: { machines: MACHINES, paths: PATHS, ...questionsOf(CAPACITY.options) },
  required: [],
  isOpenWorld: true,
  answer: async ({ machines, paths, ...values }, { session, context }) => {
    const files = await session.allowed.pathsIn(paths);
    const question = { values, flags: session.flags, paths: files, names: machines };
    const { document, verdict } = await capacityAnswer(question, context);
    return { answer: { verdict }, next: null, untrusted: document };
  },
});
