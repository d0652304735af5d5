import type { ActRule } from '../../../capacity/spot/act-rules.ts';
import { type CliContext, UsageError } from '../context.ts';
import type { SPOT } from '../declared/spot.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import { addressIn } from '../options/address.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { quoted } from '../options/quoted.ts';
import { mustBeZones } from '../options/zones.ts';
import { readSmallFile } from '../table/small-file.ts';

type Values = ParsedOptions<typeof SPOT.options>;

const MINUTE_MS = 60_000;
const EVERY_MS = 5 * MINUTE_MS;
const TYPE = /^[a-z][a-z0-9-]{0,20}\.[a-z0-9-]{1,20}$/;

/** @throws UsageError for what only a mix takes */
function refuseOfMix(values: Values): void {
  const { vcpus, memory, gpus, pods, output } = values;
  const [name] =
    Object.entries({ vcpus, memory, gpus, pods }).find(([, one]) => one !== null) ?? [];
  if (name !== undefined) throw new UsageError(`--${name} does not belong to spot watch`);
  if (values.prices.length > 0)
    throw new UsageError('spot watch asks AWS and takes no --prices; saved answers: rollcall spot');
  if (output !== 'text' && output !== 'json')
    throw new UsageError(`spot watch prints text or json, not ${output}`);
}

async function actRulesOf(path: string | null): Promise<readonly ActRule[]> {
  if (path === null) return [];
  const { readActRules } = await import('../../../readers/spot/act-rules-file.ts');
  const read = readActRules(readSmallFile(path));
  if (read.ok) return read.rules;
  const lines = read.faults.map(({ line, why }) => `${quoted(path)}, line ${line}: ${why}`);
  throw new UsageError(lines.join('\n'));
}

/** @throws UsageError */
function mustBeWhole({ yes, rules, record, every }: Values): void {
  if (yes && rules === null)
    throw new UsageError('--yes needs --rules FILE, which says what to do');
  if (yes && record === null)
    throw new UsageError('--yes needs --record FILE, where each change is noted before it is made');
  if (every !== null && every < MINUTE_MS) throw new UsageError('--every is at least 1m');
}

/** `rollcall spot watch`: prints what changes until it is ended. @throws UsageError, SourceError */
export async function watchSpot(
  values: Values,
  types: readonly string[],
  context: CliContext,
): Promise<number> {
  refuseOfMix(values);
  mustBeWhole(values);
  mustBeZones(values.zone);
  const wrong = types.find((type) => !TYPE.test(type));
  if (wrong !== undefined)
    throw new UsageError(`spot watch takes types such as m7g.large, not ${quoted(wrong)}`);
  const rules = await actRulesOf(values.rules);
  const { runSpotWatch } = await import('../../spot/watch.ts');
  await runSpotWatch(
    {
      flags: liveFlagsOf(values),
      types: [...new Set(types)],
      zones: [...new Set(values.zone)],
      product: values.product,
      everyMs: values.every ?? EVERY_MS,
      forMs: values.for,
      record: values.record,
      listen: values.listen === null ? null : addressIn('listen', values.listen),
      rules,
      isDryRun: !values.yes,
      output: values.output === 'json' ? 'json' : 'text',
    },
    context,
  );
  return EXIT.usable;
}
