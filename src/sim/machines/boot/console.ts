import type { Host } from '../host.ts';

/** Writes onto the serial console, which the API of EC2 gives out. */
export function consoleOf(host: Host): (text: string) => void {
  return (text) => host.world.aws.appendConsole(host.instanceId, text);
}

/** Gives whole lines to a listener, however the text comes. */
export function byLine(listener: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) listener(line);
  };
}
