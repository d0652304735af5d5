import packageJson from '../../../../package.json' with { type: 'json' };
import { type JsonObject, textAt } from '../../../evidence/json.ts';
import { type CliContext, UsageError } from '../context.ts';
import type { Session } from '../../install/session.ts';
import { UNINSTALL } from '../declared/install.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { NOT_LIVE, refuseBoth } from './install.ts';

type Values = ParsedOptions<typeof UNINSTALL.options>;

/** Whatever an installation may consist of, under any values. @throws UsageError */
async function everything(values: Values): Promise<readonly JsonObject[]> {
  const { chosenValues } = await import('../../../manifests/chosen-values.ts');
  const { installedObjects } = await import('../../../manifests/parts.ts');
  const { PERMISSIONS } = await import('../../../collection/permissions.generated.ts');
  const gate = {
    taintAtCreate: true,
    nodeReadinessRules: values['node-readiness-rules'],
    rulesNamespace: values['rules-namespace'],
  };
  const { namespace } = values;
  const chosen = chosenValues({ version: packageJson.version, namespace, layers: [{ gate }] });
  if (!chosen.ok) throw new UsageError(chosen.faults.join('\n'));
  return installedObjects(PERMISSIONS, chosen.into);
}

const TAINTING = ['Deployment', 'ClusterRoleBinding', 'MutatingAdmissionPolicyBinding'];

/** Without these nothing taints again, also while the last Pod of the gate ends. */
function isOfRunningGate(object: JsonObject): boolean {
  const isOfGate = textAt(object, 'metadata.name')?.startsWith('rollcall-gate') === true;
  return isOfGate && TAINTING.includes(textAt(object, 'kind') ?? '');
}

async function removed(session: Session, values: Values): Promise<number> {
  const { clearNodes } = await import('../../install/clear-nodes.ts');
  const { removeAll } = await import('../../install/remove.ts');
  const followsRules = values['node-readiness-rules'];
  if (values['taints-only']) return await clearNodes(session, followsRules);
  const objects = await everything(values);
  const removal = { removesKinds: values.crds };
  const stopped = await removeAll(session, objects.filter(isOfRunningGate), removal);
  const kept = await clearNodes(session, followsRules);
  const rest = objects.filter((object) => !isOfRunningGate(object));
  return stopped + kept + (await removeAll(session, rest, removal));
}

/** `rollcall uninstall`: removes an installation, or says what it would remove. @throws UsageError */
export async function uninstallCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values } = parseCommandLine(UNINSTALL, args);
  refuseBoth(values);
  const { inSession } = await import('../../install/session.ts');
  const { record } = values;
  const flags = liveFlagsOf({ ...NOT_LIVE, ...values });
  const say = (line: string): void => context.out(`${line}\n`);
  const failed = await inSession({ flags, record, isDryRun: !values.yes, say }, async (session) =>
    removed(session, values),
  );
  if (!values.yes) say('Nothing was changed. To do it: rollcall uninstall --yes');
  return failed === 0 ? EXIT.usable : EXIT.notUsable;
}
