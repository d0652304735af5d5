import type { CliContext, Command } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { readLabArguments } from '../../lab/arguments.ts';

/** `rollcall lab`: a cluster and a cloud on this machine that play a story. */
export const labCommand: Command = async (args, context: CliContext) => {
  const asked = readLabArguments(args);
  const { loadScenario, shippedStories } = await import('../../lab/load.ts');
  if (asked.isList) {
    const width = Math.max(...shippedStories().map(({ name }) => name.length));
    for (const { name, title } of shippedStories())
      context.out(`${name.padEnd(width)}  ${title}\n`);
    return EXIT.usable;
  }
  const scenario = loadScenario(asked.story);
  if (asked.isFast) {
    const { playFast } = await import('../../lab/fast.ts');
    return playFast(scenario, asked, context);
  }
  const { openLab } = await import('../../lab/lab.ts');
  return openLab(scenario, asked, context);
};
