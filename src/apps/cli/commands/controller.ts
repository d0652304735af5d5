import { CONTROLLER } from '../declared/controller.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { limitsOf } from '../live/record-limits.ts';
import { addressIn } from '../options/address.ts';
import { parseCommandLine } from '../options/parse.ts';

/** `rollcall controller`: keeps the roll call until a signal ends it. */
export async function controllerCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values } = parseCommandLine(CONTROLLER, args);
  const listen = addressIn('listen', values.listen);
  const { runUntilSignal } = await import('../../controller/run.ts');
  await runUntilSignal({
    flags: liveFlagsOf(values),
    listen,
    namespace: values.namespace,
    writesReports: values.reports,
    writesEvents: values.events,
    record: values.record,
    recordLimits: limitsOf(values),
    keepReportsMs: values['keep-reports'],
    isDryRun: values['dry-run'],
    out: context.out,
    err: context.err,
  });
  return EXIT.usable;
}
