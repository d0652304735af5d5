import { isObject, type Json, listAt, textAt } from '../../evidence/json.ts';
import { classifyName, type MachineName } from '../../evidence/names.ts';

/** What a command of Systems Manager printed on one machine. */
export interface CommandOutput {
  readonly machine: MachineName;
  readonly text: string;
}

/** Machines of one answer; the API returns 50 a page. */
const OUTPUTS_MAX = 200;
/** Words of which every such answer has one. */
const MARK = /"(?:StandardOutputContent|CommandPlugins)"/;

/** True when a text may hold what `commandOutputs` reads. */
export function mayHoldOutput(text: string): boolean {
  return MARK.test(text);
}

function outputOf(value: Json, texts: readonly (string | null)[]): CommandOutput[] {
  const machine = classifyName(textAt(value, 'InstanceId') ?? '', 'instance-id');
  const text = texts.filter((one) => one !== null && one.trim() !== '').join('\n');
  return machine === null || text === '' ? [] : [{ machine, text }];
}

/**
 * What machines printed, in an answer of `aws ssm get-command-invocation` or of
 * `aws ssm list-command-invocations --details`.
 */
export function commandOutputs(value: Json): readonly CommandOutput[] {
  if (!isObject(value)) return [];
  const invocations = listAt(value, 'CommandInvocations').slice(0, OUTPUTS_MAX);
  return [
    ...outputOf(value, [
      textAt(value, 'StandardOutputContent'),
      textAt(value, 'StandardErrorContent'),
    ]),
    ...invocations.flatMap((one) =>
      outputOf(
        one,
        listAt(one, 'CommandPlugins').map((plugin) => textAt(plugin, 'Output')),
      ),
    ),
  ];
}
