import packageJson from '../../../../package.json' with { type: 'json' };
import type { Json, JsonObject } from '../../../evidence/json.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../context.ts';
import { INSTALL } from '../declared/install.ts';
import { EXIT } from '../exit-code.ts';
import { liveFlagsOf } from '../live/flags.ts';
import type { ParsedOptions } from '../options/declaration.ts';
import { parseCommandLine } from '../options/parse.ts';
import { quoted } from '../options/quoted.ts';
import { readSmallFile } from '../table/small-file.ts';

type Values = ParsedOptions<typeof INSTALL.options>;

/** Options of a cluster that these commands do not have. */
export const NOT_LIVE = { cluster: null, region: null, profile: null, timeout: null };
const FAULTS_MAX = 10;

/** @throws UsageError */
async function fileLayer(path: string): Promise<Json> {
  const { parseLinedYaml } = await import('../../../readers/text/yaml-lines.ts');
  const parsed = parseLinedYaml(readSmallFile(path));
  if (!parsed.ok) throw new UsageError(`${quoted(path)}: line ${parsed.line}: ${parsed.why}`);
  return parsed.value ?? {};
}

/** What is JSON is taken as it, so that numbers and lists can be given. */
function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const SET = /^(?<path>[A-Za-z][A-Za-z.]{0,99})=(?<value>[^]*)$/;

/** @throws UsageError */
async function setLayer(text: string): Promise<JsonObject> {
  const { path, value } = SET.exec(text)?.groups ?? {};
  if (path === undefined || value === undefined)
    throw new UsageError(`--set takes PATH=VALUE, not ${quoted(text)}`);
  const { layerOf } = await import('../../../manifests/chosen-values.ts');
  return layerOf(path, valueOf(value));
}

/** @throws UsageError for what the schema of the values refuses */
async function objectsOf(values: Values): Promise<readonly JsonObject[]> {
  const { chosenValues } = await import('../../../manifests/chosen-values.ts');
  const { installedObjects } = await import('../../../manifests/parts.ts');
  const { PERMISSIONS } = await import('../../../collection/permissions.generated.ts');
  const { namespace } = values;
  const files = await Promise.all(values.values.map(fileLayer));
  const layers = [...files, ...(await Promise.all(values.set.map(setLayer)))];
  const chosen = chosenValues({ version: packageJson.version, namespace, layers });
  if (!chosen.ok) throw new UsageError(chosen.faults.slice(0, FAULTS_MAX).join('\n'));
  return installedObjects(PERMISSIONS, chosen.into);
}

async function print(
  objects: readonly JsonObject[],
  output: Values['output'],
  { out }: CliContext,
): Promise<void> {
  const { structured } = await import('../structured.ts');
  if (output === 'json') {
    out(await structured({ apiVersion: 'v1', kind: 'List', items: objects }, 'json'));
    return;
  }
  for (const object of objects) out(`---\n${await structured(object, 'yaml')}`);
}

/** `rollcall install`: prints what is installed, or applies it. @throws UsageError */
export async function installCommand(
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { values } = parseCommandLine(INSTALL, args);
  refuseBoth(values);
  const objects = await objectsOf(values);
  if (!values.yes) {
    await print(objects, values.output, context);
    return EXIT.usable;
  }
  const { inSession } = await import('../../install/session.ts');
  const { applyAll } = await import('../../install/apply.ts');
  const { record } = values;
  const flags = liveFlagsOf({ ...NOT_LIVE, ...values });
  const say = (line: string): void => context.out(`${line}\n`);
  const failed = await inSession({ flags, record, isDryRun: false, say }, async (session) =>
    applyAll(session, objects, values['force-conflicts']),
  );
  return failed === 0 ? EXIT.usable : EXIT.notUsable;
}

/** @throws UsageError */
export function refuseBoth(given: { readonly yes: boolean; readonly 'dry-run': boolean }): void {
  if (given.yes && given['dry-run']) throw new UsageError('--yes and --dry-run exclude each other');
}
