import { type FixDocument, isFixed } from '../../../controllers/fix/document.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../context.ts';
import { FIX } from '../declared/fix.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { structured } from '../structured.ts';
import { refuseBoth } from './install.ts';
import type { MachineFixName } from '../../fix/machines.ts';

type Values = ParsedOptions<typeof FIX.options>;

/** A machine that is just being made has its interfaces unused for some seconds. */
const LEAST_APART_MS = 10_000;
/** What a Pod takes to be ready whose image is to be pulled. */
const REPLACED_MS = 2 * 60_000;
/** What a machine takes from its launch to a Ready Node, with a slow image. */
const LAUNCHED_MS = 10 * 60_000;
/** Objects that one fix takes away within an hour, and machines that one repairs. */
const MOST_OF_HOUR = 20;
const MOST_MACHINES_OF_HOUR = 3;

type Fix = (values: Values, rest: readonly string[], context: CliContext) => Promise<FixDocument>;

function sharedOf(values: Values) {
  return { flags: liveFlagsOf(values), record: values.record, isDryRun: !values.yes };
}

async function auth(
  values: Values,
  rest: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  if (rest.length > 0)
    throw new UsageError(`fix auth takes no words; name a role: --role ${quoted(rest[0] ?? '')}`);
  const { runAuthFix } = await import('../../fix/auth.ts');
  const { role, into: place, wait: waitMs } = values;
  const order = { ...sharedOf(values), role, place, waitMs, type: values['node-type'] };
  return await runAuthFix(order, context);
}

async function undo(
  values: Values,
  [id, ...more]: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  if (id === undefined) throw new UsageError('fix undo needs the ID of a fix, as it printed it');
  if (more.length > 0) throw new UsageError('fix undo takes one ID');
  const { runUndo } = await import('../../fix/undo.ts');
  return await runUndo({ ...sharedOf(values), id }, context);
}

async function eni(
  values: Values,
  rest: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  if (rest.length > 0)
    throw new UsageError('fix eni takes no words; it looks at all interfaces of the cluster');
  if (values.apart < LEAST_APART_MS) throw new UsageError('--apart is at least 10s');
  const { runEniFix } = await import('../../fix/eni.ts');
  const { apart: apartMs, most } = values;
  const mostOfHour = most ?? MOST_OF_HOUR;
  return await runEniFix({ ...sharedOf(values), apartMs, mostOfHour }, context);
}

async function pods(
  values: Values,
  names: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  const { runPodsFix } = await import('../../fix/pods.ts');
  const { most, wait } = values;
  const [mostOfHour, waitMs] = [most ?? MOST_OF_HOUR, wait ?? REPLACED_MS];
  return await runPodsFix({ ...sharedOf(values), names, mostOfHour, waitMs }, context);
}

async function formerNames(
  values: Values,
  names: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  const { runNameFix } = await import('../../fix/name.ts');
  const mostOfHour = values.most ?? MOST_OF_HOUR;
  return await runNameFix({ ...sharedOf(values), names, mostOfHour }, context);
}

async function node(
  values: Values,
  names: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  const { runNodeFix } = await import('../../fix/node.ts');
  const { most, wait, ssm: hasSsm } = values;
  const [mostOfHour, waitMs] = [most ?? MOST_MACHINES_OF_HOUR, wait ?? LAUNCHED_MS];
  return await runNodeFix({ ...sharedOf(values), names, mostOfHour, waitMs, hasSsm }, context);
}

async function cni(
  values: Values,
  names: readonly string[],
  context: CliContext,
): Promise<FixDocument> {
  const { runCniFix } = await import('../../fix/cni.ts');
  const hasNodeLogs = values['node-logs'];
  return await runCniFix({ ...sharedOf(values), names, hasNodeLogs }, context);
}

function ofMachines(name: MachineFixName): Fix {
  return async (values, names, context) => {
    const { runMachineFix } = await import('../../fix/machines.ts');
    return await runMachineFix({ ...sharedOf(values), name, names }, context);
  };
}

const FIXES: Readonly<Record<string, Fix>> = {
  auth,
  cni,
  eni,
  imds: ofMachines('imds'),
  name: formerNames,
  node,
  pods,
  taint: ofMachines('taint'),
  undo,
};

function exitCodeOf(document: FixDocument): number {
  if (document.steps.some(({ outcome }) => outcome === 'unclear')) return EXIT.cannotTell;
  return isFixed(document) ? EXIT.usable : EXIT.notUsable;
}

/** `rollcall fix auth` and the like: shows a repair, or does it with `--yes`. @throws UsageError */
export async function fixCommand(args: readonly string[], context: CliContext): Promise<number> {
  const { values, words } = parseCommandLine(FIX, args);
  const [name, ...rest] = words;
  const names = Object.keys(FIXES).join(', ');
  if (name === undefined) throw new UsageError(`fix needs what to fix: ${names}`);
  const fix = Object.hasOwn(FIXES, name) ? FIXES[name] : undefined;
  if (fix === undefined) throw new UsageError(`unknown fix ${quoted(name)}; use one of ${names}`);
  refuseBoth(values);
  const document = await fix(values, rest, context);
  const { fixPage, shownFix } = await import('../pages/fix-page.ts');
  const shown = shownFix(document);
  const { output } = values;
  const page = (): string => `${fixPage(shown).join('\n').trimEnd()}\n`;
  context.out(output === 'text' ? page() : await structured(shown, output));
  return exitCodeOf(document);
}
