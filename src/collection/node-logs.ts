import type { OpenMachine } from '../diagnosis/left-open.ts';
import type { Refusal } from '../evidence/observations.ts';
import type { KubeApi, KubeNodeLog, KubeNodeLogPlace } from '../ports/kube-api.ts';
import { machineLog } from '../readers/machine-log.ts';
import { limiter } from './asking.ts';
import { type CollectedEvidence, refusalOf } from './document.ts';
import { wholeLines } from './host/document.ts';
import { FILES, FOLDERS, JOURNAL_UNITS, SYSLOGS } from './host/plan.ts';
import { namesInListing } from './node-log-listing.ts';

/** What one look reads of machines at most. */
const NODES_MAX = 10;
const FILES_MAX = 20;
const FILE_BYTES_MAX = 512 * 1024;
const JOURNAL_LINES = 2000;
const LISTING_BYTES_MAX = 64 * 1024;
const PARALLEL_MAX = 4;

const LOG_FOLDER = '/var/log/';
const PERMISSION = 'get nodes/proxy';

/** Kubelets of one cluster are set up alike, so that it is told once. */
const JOURNALS_CALL = `${PERMISSION} for journals`;

/** What of the plan for a host a kubelet serves, below `/var/log`. */
function served(plans: readonly { readonly path: string }[]): readonly string[] {
  const paths = plans.map(({ path }) => path);
  return paths
    .filter((path) => path.startsWith(LOG_FOLDER))
    .map((path) => path.slice(LOG_FOLDER.length));
}

const PLANNED_FILES = served(FILES);
const PLANNED_SYSLOGS = served(SYSLOGS);
/** Logs of containers are read through their pods. */
const PLANNED_FOLDERS = FOLDERS.filter(
  ({ path }) => path.startsWith(LOG_FOLDER) && path !== '/var/log/containers',
).map(({ path, names }) => ({ folder: `${path.slice(LOG_FOLDER.length)}/`, names }));

/**
 * Reads logs and journals of these machines through their kubelets. What is not allowed, off or out
 * of reach is told once, and costs no more.
 */
export async function collectNodeLogs(
  kube: KubeApi,
  machines: readonly OpenMachine[],
  evidence: CollectedEvidence,
  signal: AbortSignal,
): Promise<void> {
  const named = machines.filter(({ node }) => node !== null);
  if (named.length > NODES_MAX)
    evidence.shorten('logs of machines beyond the first 10', named.length - NODES_MAX);
  const limited = limiter(PARALLEL_MAX);
  const readers = named
    .slice(0, NODES_MAX)
    .map((machine) => new NodeReader({ kube, evidence, signal, limited }, machine));
  const [first, ...others] = readers;
  // What is denied of one Node is denied of all.
  if (first === undefined || (await first.read()) === 'denied') return;
  await Promise.all(others.map((reader) => reader.read()));
}

interface Asking {
  readonly kube: KubeApi;
  readonly evidence: CollectedEvidence;
  readonly signal: AbortSignal;
  readonly limited: <T>(task: () => Promise<T>) => Promise<T>;
}

type Outcome<T> = { readonly got: T } | { readonly refusal: Refusal };

/** Reads what one kubelet serves. */
class NodeReader {
  readonly #asking: Asking;
  readonly #machine: OpenMachine;
  readonly #node: string;

  constructor(asking: Asking, machine: OpenMachine) {
    this.#asking = asking;
    this.#machine = machine;
    this.#node = machine.node ?? '';
  }

  async read(): Promise<'denied' | 'asked'> {
    const root = await this.#namesIn('');
    if ('refusal' in root) {
      this.#asking.evidence.refuse(root.refusal);
      return root.refusal.failure === 'denied' ? 'denied' : 'asked';
    }
    const [journals, inFolders] = await Promise.all([
      this.#readJournals(),
      this.#filesInFolders(root.got),
    ]);
    const syslogs = journals === null ? [] : PLANNED_SYSLOGS.filter((file) => root.got.has(file));
    // rsyslog writes what the journal has, so that nothing is missed there.
    if (journals !== null && syslogs.length === 0)
      this.#asking.evidence.refuse({ ...journals, call: JOURNALS_CALL });
    const files = PLANNED_FILES.filter((file) => root.got.has(file));
    await this.#readFiles([...inFolders, ...files, ...syslogs]);
    return 'asked';
  }

  /** @returns why journals are not served, null when they are */
  async #readJournals(): Promise<Refusal | null> {
    const [first = '', ...others] = JOURNAL_UNITS;
    const outcome = await this.#ask({ unit: first, tailLines: JOURNAL_LINES });
    if ('refusal' in outcome) return outcome.refusal;
    this.#take({ unit: first, tailLines: JOURNAL_LINES }, outcome.got);
    await Promise.all(others.map((unit) => this.#readPlace({ unit, tailLines: JOURNAL_LINES })));
    return null;
  }

  async #filesInFolders(names: ReadonlySet<string>): Promise<readonly string[]> {
    const folders = PLANNED_FOLDERS.filter(({ folder }) => names.has(folder));
    const lists = await Promise.all(
      folders.map(async ({ folder, names: planned }) => {
        const inside = await this.#namesIn(folder);
        if ('refusal' in inside) return [];
        return [...inside.got].filter((name) => planned.test(name)).map((name) => folder + name);
      }),
    );
    return lists.flat();
  }

  async #readFiles(paths: readonly string[]): Promise<void> {
    const more = paths.length - FILES_MAX;
    if (more > 0) this.#asking.evidence.shorten(`files of ${this.#node} beyond the first 20`, more);
    await Promise.all(paths.slice(0, FILES_MAX).map((path) => this.#readPlace({ path })));
  }

  async #readPlace(place: KubeNodeLogPlace): Promise<void> {
    const outcome = await this.#ask(place);
    if ('got' in outcome) this.#take(place, outcome.got);
    // A file that was rotated away meanwhile is no loss.
    else if (outcome.refusal.failure !== 'not-found') this.#asking.evidence.refuse(outcome.refusal);
  }

  async #namesIn(folder: string): Promise<Outcome<ReadonlySet<string>>> {
    const outcome = await this.#ask({ path: folder });
    if ('refusal' in outcome) return outcome;
    return { got: namesInListing(new TextDecoder().decode(outcome.got.bytes)) };
  }

  async #ask(place: KubeNodeLogPlace): Promise<Outcome<KubeNodeLog>> {
    const { kube, signal, limited } = this.#asking;
    const isListing = 'path' in place && (place.path === '' || place.path.endsWith('/'));
    const bytesMax = isListing ? LISTING_BYTES_MAX : FILE_BYTES_MAX;
    try {
      return { got: await limited(() => kube.nodeLog(this.#node, place, { bytesMax, signal })) };
    } catch (error) {
      const { failure, permission, message } = refusalOf(PERMISSION, error);
      const call = failure === 'denied' ? PERMISSION : `${PERMISSION} of ${this.#node}`;
      const told = `Logs of machines (--node-logs, permission ${PERMISSION}): ${message}`;
      return { refusal: { call, failure, permission, message: told } };
    }
  }

  #take(place: KubeNodeLogPlace, { bytes, isCut }: KubeNodeLog): void {
    const text = new TextDecoder().decode(isCut ? wholeLines(bytes) : bytes);
    if (text.trim() === '' || NO_JOURNAL.test(text)) return;
    const [what, root] = ['path' in place ? place.path : place.unit, proxyPath(this.#node)];
    const locator =
      'path' in place
        ? `kubectl get --raw ${root}${place.path}`
        : `kubectl get --raw '${root}?query=${place.unit}&tailLines=${place.tailLines}'`;
    this.#asking.evidence.add({
      name: `kubernetes/node-logs/${this.#node}_${what.replaceAll('/', '_')}.json`,
      locator,
      content: machineLog({
        ...this.#machine,
        file: 'path' in place ? LOG_FOLDER + place.path : null,
        unit: 'path' in place ? null : place.unit,
        text,
      }),
    });
  }
}

function proxyPath(node: string): string {
  return `/api/v1/nodes/${node}/proxy/logs/`;
}

/** What a kubelet says of a unit that the journal does not know (kubelet_server_journal.go). */
const NO_JOURNAL = /^\s*(?:options present and query resolved to log files|log not found for) /;
