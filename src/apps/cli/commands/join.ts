import { staySmall } from '../../../adapters/system/memory.ts';
import { JOIN } from '../declared/join.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { redact } from '../../../evidence/redact.ts';
import type { JoinEvent } from '../../../controllers/join/event.ts';
import type { JoinFailure } from '../../../controllers/join/step.ts';
import { USER_DATA_FLAVORS } from '../../../controllers/join/install/user-data.ts';
import { shellWord } from '../../../domain/words.ts';
import type { JoinRun } from '../../join/join-run.ts';

type Values = ParsedOptions<typeof JOIN.options>;

/** `rollcall join -- COMMAND`: until the Node stays, or its cause is known. */
export async function joinCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { own, command } = splitAtCommand(args);
  const { values, words } = parseCommandLine(JOIN, own);
  if (words.length > 0)
    throw new UsageError(
      `join takes COMMAND behind two dashes: rollcall join -- ${words.map(shellWord).join(' ')}`,
    );
  if (values['print-user-data'] !== null || values['print-unit'])
    return printFiles(values, ownWithoutPrint(own), command, context);
  if (command.length === 0)
    throw new UsageError('join needs a command: rollcall join -- kubeadm join …');
  return joined(values, command, context);
}

/** What follows the first `--` is COMMAND, whatever it looks like. */
function splitAtCommand(args: readonly string[]): {
  readonly own: readonly string[];
  readonly command: readonly string[];
} {
  const at = args.indexOf('--');
  if (at < 0) return { own: args, command: [] };
  return { own: args.slice(0, at), command: args.slice(at + 1) };
}

/** The options that a unit is to have too. */
function ownWithoutPrint(own: readonly string[]): readonly string[] {
  return own.filter(
    (word, index) => !word.startsWith('--print-') && own[index - 1] !== '--print-user-data',
  );
}

async function printFiles(
  values: Values,
  options: readonly string[],
  command: readonly string[],
  { out, err }: CliContext,
): Promise<number> {
  const flavor = USER_DATA_FLAVORS.find((one) => one === values['print-user-data']);
  if (command.some((word) => /^--token(?:=|$)/.test(word)))
    err(
      'COMMAND holds a token, which every user of the machine could read; name a file: --config FILE\n',
    );
  if (flavor !== undefined) {
    const { joinUserData } = await import('../../../controllers/join/install/user-data.ts');
    out(joinUserData({ flavor, options, command }));
    return EXIT.usable;
  }
  if (command.length === 0)
    throw new UsageError('--print-unit needs a command: rollcall join --print-unit -- COMMAND');
  const { joinUnit } = await import('../../../controllers/join/install/unit.ts');
  out(joinUnit({ options, command, after: [] }));
  return EXIT.usable;
}

async function joined(
  values: Values,
  command: readonly string[],
  context: CliContext,
): Promise<number> {
  // Before the rest is loaded, as the heap grows while it is: 4 MB.
  staySmall();
  const { runJoin } = await import('../../join/run.ts');
  const { JoinReports } = await import('../../join/reports.ts');
  const reports = new JoinReports(
    {
      isJson: values.output === 'json',
      console: values.console,
      webhookFile: values['webhook-file'],
      nodeReport: values['node-report'],
    },
    context,
  );
  const { end, output } = await runJoin(runOf(values, command, context, reports.say));
  if (end === null) {
    context.err('Another rollcall join runs on this machine; that one continues.\n');
    return EXIT.cannotTell;
  }
  if (end.step === null) {
    context.err('The join was ended by a signal; the next start continues where it was.\n');
    return EXIT.cannotTell;
  }
  await reports.end(output);
  return end.step.do === 'joined' ? EXIT.usable : exitCodeOfFailure(end.step.failure);
}

/** What was not seen is not known to be broken. */
function exitCodeOfFailure(failure: JoinFailure): number {
  return failure === 'time-over-unseen' ? EXIT.cannotTell : EXIT.notUsable;
}

function runOf(
  values: Values,
  command: readonly string[],
  { err }: CliContext,
  say: (event: JoinEvent) => void,
): JoinRun {
  return {
    command,
    reset: resetOf(values.reset),
    isAutoNamed: values.name === 'auto',
    rules: {
      limitMs: values.timeout,
      keptMs: values.kept,
      triesMax: values.tries,
      waitsForCloud: values['wait-for-cloud'],
    },
    commandTimeoutMs: values['command-timeout'],
    folder: values['state-folder'],
    kubeconfig: values.kubeconfig,
    nodeName: values.node,
    instanceId: values.instance,
    region: values.region,
    cluster: values.cluster,
    unit: values.unit,
    asksCloud: !values['no-cloud'],
    say,
    output: (line) => err(`${redact(line)}\n`),
  };
}

function resetOf(text: string | null): readonly string[] | null {
  if (text === null) return null;
  return text === 'none' ? [] : text.split(' ').filter((word) => word !== '');
}
