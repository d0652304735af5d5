import { declareCommand } from '../options/declaration.ts';
import { LIVE_OPTIONS } from './shared.ts';

export const MCP = declareCommand({
  name: 'mcp',
  summary: 'Answer a language model: a server of the Model Context Protocol',
  usage: ['mcp [options]'],
  description: [
    'A client starts it, sends calls on standard input and reads answers on standard output. Its tools are status, diagnose, explain, capacity, name and permissions. They only read.',
    'Which cluster and account it asks, and which folders it reads, is decided here; no tool can change it.',
  ],
  words: { most: 0, completes: [] },
  options: {
    allow: {
      kind: 'text',
      value: 'FOLDER',
      multiple: true,
      completes: 'folder',
      help: 'Folder whose files the model may have read; may be repeated; the working directory by default, unless that is /',
    },
    deep: {
      kind: 'flag',
      help: 'Ask each machine that is not usable for its console, user data and logs',
    },
    ...LIVE_OPTIONS,
    timeout: {
      ...LIVE_OPTIONS.timeout,
      help: 'Time limit of one look, such as 30s or 2m (default 45s); what has not answered by then is reported as missing',
    },
  },
  exitCodes: { 0: 'the client is gone' },
  examples: [
    { title: 'For the current cluster', command: 'rollcall mcp' },
    {
      title: 'One cluster and one AWS profile',
      command: 'rollcall mcp --context prod --profile read-only',
    },
    { title: 'Logs in one folder', command: 'rollcall mcp --allow ~/incidents' },
  ],
  seeAlso: ['diagnose', 'status', 'permissions'],
});
