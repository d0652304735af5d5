import { callRoll, observeFiles } from '../../cli/commands/status.ts';
import { LIVE_STATUS } from '../../cli/live/status-source.ts';
import { selectorOf } from '../../cli/table/status-arguments.ts';
import { statusToolAnswer } from '../status-answer.ts';
import { declareTool } from '../tool.ts';
import { MACHINES, PATHS } from './arguments.ts';

export const statusTool = declareTool({
  name: 'status',
  title: 'Which machines are usable Nodes',
  description:
    'Compares every expected AWS machine with the Nodes of the Kubernetes cluster: verdict, stage and cause of each, and what the failing ones have in common. Use it first when you do not know which machine is affected.',
  input: {
    machines: MACHINES,
    paths: PATHS,
    selector: {
      kind: 'text',
      value: 'LABELS',
      help: 'Only machines whose Node or tags match, such as zone=eu-west-1a',
    },
    failed: { kind: 'flag', help: 'List only machines that are not usable' },
  },
  required: [],
  isOpenWorld: true,
  answer: async ({ machines, paths, selector, failed }, { session, context }) => {
    const selects = selector === null ? null : selectorOf(selector);
    const files = await session.allowed.pathsIn(paths);
    const look =
      files.length > 0
        ? await observeFiles(files, context)
        : await LIVE_STATUS.observe(session.flags, context);
    const document = callRoll(look, { selects, expected: [], names: machines });
    const { rows } = document;
    const listed = failed ? rows.filter(({ verdict }) => verdict === 'not-usable') : rows;
    return statusToolAnswer(document, listed, paths);
  },
});
