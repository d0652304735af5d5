import { stayResident } from '../../../adapters/system/memory.ts';
import { CONTROLLER } from '../declared/controller.ts';
import { type CliContext, UsageError } from '../context.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { limitsOf } from '../live/record-limits.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';

/** `10.0.0.1:8470`, `[::]:8470` or `:8470`, which is every address. */
const ADDRESS = /^(?:\[(?<six>[\da-f:.]+)\]|(?<four>[^:[\]]*)):(?<port>\d{1,5})$/i;
const PORT_MAX = 65_535;

/** @throws UsageError */
function addressIn(text: string): { readonly host: string; readonly port: number } {
  const { six, four, port = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (port === '' || Number(port) > PORT_MAX)
    throw new UsageError(`--listen needs an address and a port, such as 127.0.0.1:8470`);
  const host = six ?? four;
  return { host: host === undefined || host === '' ? '::' : host, port: Number(port) };
}

type Values = ParsedOptions<typeof CONTROLLER.options>;

/** What belongs to the roll call, which does not run. @throws UsageError */
function refuseOthers(values: Values): void {
  const given = (['reports', 'events', 'record'] as const).filter(
    (name) => values[name] !== false && values[name] !== null,
  );
  if (given.length > 0)
    throw new UsageError(
      `--only gate has no --${given.join(' and no --')}; run a second controller`,
    );
}

async function gateAlone(
  values: Values,
  listen: ReturnType<typeof addressIn>,
  { out, err }: CliContext,
): Promise<void> {
  refuseOthers(values);
  // Before what it needs is loaded: the young part of the heap stays as large as it is then.
  stayResident();
  const { runGateUntilSignal } = await import('../../gate/run.ts');
  const { namespace, 'dry-run': isDryRun } = values;
  const rulesNamespace = values['node-readiness-rules'] ? values['rules-namespace'] : null;
  await runGateUntilSignal({
    flags: liveFlagsOf(values),
    listen,
    namespace,
    isDryRun,
    nidhoggConfig: values['nidhogg-config'],
    rulesNamespace,
    out,
    err,
  });
}

/** What belongs to the gate, which does not run. @throws UsageError */
function refuseOfGate(values: Values): void {
  const given = (['nidhogg-config', 'node-readiness-rules'] as const).filter(
    (name) => values[name] !== false && values[name] !== null,
  );
  if (given.length > 0) throw new UsageError(`--${given.join(' and --')} needs --only gate`);
}

/** `rollcall controller`: keeps the roll call until a signal ends it. */
export async function controllerCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values } = parseCommandLine(CONTROLLER, args);
  const listen = addressIn(values.listen);
  if (values.only !== null) {
    await gateAlone(values, listen, context);
    return EXIT.usable;
  }
  refuseOfGate(values);
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
