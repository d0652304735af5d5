import { excerptOf } from '../../evidence/redact.ts';
import { AS_ROOT, documentOf, type HostItem, lossOf, lossOfError, wholeLines } from './document.ts';
import type { CommandPlan, FilePlan, FolderPlan } from './plan.ts';
import { type Reach, refusal } from './reach.ts';

const FILE_BYTES_MAX = 2 * 1024 * 1024;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;
const COMMAND_TIMEOUT_MS = 5000;
const FOLDER_FILES_MAX = 20;

export async function readFileItems(reach: Reach, plan: FilePlan): Promise<readonly HostItem[]> {
  try {
    const bytes = await reach.host.readFile(plan.path, FILE_BYTES_MAX);
    if (bytes.length === 0) return [];
    const lines = bytes.length < FILE_BYTES_MAX ? bytes : wholeLines(bytes);
    return [documentOf(plan.path, plan.name, lines, plan)];
  } catch (error) {
    const failure = refusal(error);
    // A file that is not there is an answer: this machine is set up in another way.
    return failure.failure === 'not-found' ? [] : [lossOfError(plan.path, failure)];
  }
}

export async function readFolderItems(
  reach: Reach,
  plan: FolderPlan,
): Promise<readonly HostItem[]> {
  try {
    const names = await reach.host.listFolder(plan.path);
    const wanted = names.filter((name) => plan.names.test(name)).slice(0, FOLDER_FILES_MAX);
    const below = plan.inside === undefined ? '' : `/${plan.inside}`;
    const items = await Promise.all(
      wanted.map((name) => {
        const [path, inBundle] = [plan.path, plan.name].map((base) => `${base}/${name}${below}`);
        return readFileItems(reach, { ...plan, path: path ?? '', name: inBundle ?? '' });
      }),
    );
    return items.flat();
  } catch (error) {
    const failure = refusal(error);
    return failure.failure === 'not-found' ? [] : [lossOfError(plan.path, failure)];
  }
}

const NOT_ALLOWED = /permission denied|you must be root|operation not permitted|insufficient perm/i;

export async function readCommandItems(
  reach: Reach,
  plan: CommandPlan,
): Promise<readonly HostItem[]> {
  const locator = plan.title ?? plan.argv.join(' ');
  try {
    const ran = await reach.run(plan.argv, COMMAND_TIMEOUT_MS, OUTPUT_BYTES_MAX);
    const lines = ran.isCut ? wholeLines(ran.stdout) : ran.stdout;
    const said = ran.stderr.split('\n').find((line) => line.trim() !== '') ?? '';
    const items = lines.length === 0 ? [] : [documentOf(locator, plan.name, lines, plan)];
    if (ran.exitCode === 0 || items.length > 0) return items;
    if (NOT_ALLOWED.test(ran.stderr)) return [lossOf(locator, notAllowed(locator))];
    if (plan.isOptional === true) return [];
    const why = said === '' ? `exit code ${ran.exitCode}` : excerptOf(said, 200);
    return [lossOf(locator, `${locator} printed nothing: ${why}`)];
  } catch (error) {
    const failure = refusal(error);
    const isMissing = failure.failure === 'not-found';
    if (isMissing && plan.isOptional === true) return [];
    return [lossOfError(isMissing ? (plan.argv[0] ?? locator) : locator, failure)];
  }
}

function notAllowed(locator: string): string {
  return `${locator} needs root. Run: ${AS_ROOT}`;
}
