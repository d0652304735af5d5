import { declareCommand } from '../options/declaration.ts';

/** Shells for which a script is printed. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION = declareCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  usage: [`completion ${SHELLS.join('|')}`],
  description: [
    'Commands, options and their values complete, and so do machines, contexts, causes and stories. Machines are asked of the cluster, for at most 10 s.',
    'kubectl rollcall completes too once kubectl completes: the program kubectl_complete-rollcall is installed with Rollcall.',
  ],
  words: { most: 1, completes: ['shell'] },
  options: {},
  exitCodes: { 0: 'printed' },
  examples: [
    {
      title: 'bash, now and in each new shell',
      command: "echo 'source <(rollcall completion bash)' >> ~/.bashrc && source ~/.bashrc",
    },
    { title: 'zsh', command: 'rollcall completion zsh > "${fpath[1]}/_rollcall"' },
    {
      title: 'fish',
      command: 'rollcall completion fish > ~/.config/fish/completions/rollcall.fish',
    },
  ],
  seeAlso: ['help'],
});

export const HELP = declareCommand({
  name: 'help',
  summary: 'Show the options and examples of a command',
  usage: ['help [COMMAND]'],
  description: [],
  words: { most: 1, completes: ['command'] },
  options: {},
  exitCodes: { 0: 'shown' },
  examples: [{ title: 'A command', command: 'rollcall help diagnose' }],
  seeAlso: ['completion'],
});
