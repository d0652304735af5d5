/** Where the program is expected on the machine. */
export const PROGRAM = '/usr/local/bin/rollcall';

export interface UnitOptions {
  /** Words behind `rollcall join`, without COMMAND. */
  readonly options: readonly string[];
  readonly command: readonly string[];
  /** Units that have to be up before; the network is in any case. */
  readonly after: readonly string[];
}

/** A systemd unit that joins at each boot; a join that failed is tried again a minute later. */
export function joinUnit({ options, command, after }: UnitOptions): string {
  const units = ['network-online.target', ...after].join(' ');
  const words = [PROGRAM, 'join', ...options, '--', ...command].map(unitWord);
  return [
    '[Unit]',
    'Description=Join the Kubernetes cluster and see that the Node stays',
    `Wants=${units}`,
    `After=${units}`,
    '',
    '[Service]',
    'Type=simple',
    `ExecStart=${words.join(' ')}`,
    'Restart=on-failure',
    'RestartSec=60',
    // 64 is a command line that is wrong: it does not get better.
    'RestartPreventExitStatus=64',
    'TimeoutStopSec=30',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
}

const PLAIN = /^[A-Za-z0-9_./:=@,+-]+$/;

/** One word as systemd reads it back: `%` and `$` are its own signs. */
function unitWord(word: string): string {
  const signs = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  if (PLAIN.test(word)) return word;
  return `"${signs.replaceAll('\\', '\\\\').replaceAll('"', String.raw`\"`).replaceAll('\n', String.raw`\n`)}"`;
}
