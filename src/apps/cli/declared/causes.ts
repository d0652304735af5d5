import { STAGES } from '../../../evidence/stage.ts';
import { declareCommand } from '../options/declaration.ts';
import { PAGE_OUTPUT } from './shared.ts';

export const CAUSES_COMMAND = declareCommand({
  name: 'causes',
  summary: 'List the causes that Rollcall knows',
  usage: ['causes [--stage STAGE] [options]'],
  description: [],
  words: { most: 0, completes: [] },
  options: {
    stage: {
      kind: 'choice',
      value: 'STAGE',
      noun: 'stage',
      values: STAGES,
      help: `Only causes of one stage: ${STAGES.join(', ')}`,
    },
    ...PAGE_OUTPUT,
  },
  exitCodes: { 0: 'listed' },
  examples: [
    { title: 'All of them', command: 'rollcall causes' },
    { title: 'One stage', command: 'rollcall causes --stage authenticated' },
    { title: 'For a script', command: 'rollcall causes -o json' },
  ],
  seeAlso: ['explain'],
});

export const EXPLAIN = declareCommand({
  name: 'explain',
  summary: 'Explain one cause: why it happens, what shows it, how to fix and prevent it',
  usage: ['explain CAUSE', 'explain WORDS'],
  description: [
    'With words or an error message instead of a cause, lists the causes that they are most likely about. It looks at no cluster and proves nothing; rollcall diagnose does.',
  ],
  words: { most: Infinity, completed: 1, completes: ['cause'] },
  options: {},
  exitCodes: { 0: 'explained, or listed' },
  examples: [
    { title: 'A cause', command: 'rollcall explain aws-auth-missing' },
    { title: 'A search', command: 'rollcall explain pods get no IP address' },
  ],
  seeAlso: ['causes', 'diagnose'],
});
