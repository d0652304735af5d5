/** Logs of a machine as its kubelet serves them below `/logs/` (kubelet 1.36, kubelet_server_journal.go). */
import type { KubeletPage } from '../../kube/hooks.ts';
import type { JournalFilter } from '../contract.ts';

const LOG_FOLDER = '/var/log/';
const LINES_MAX = 100_000;

export interface ServedMachine {
  files(): ReadonlyMap<string, string>;
  journalText(filter: JournalFilter): string;
}

export interface LogServerOptions {
  readonly image: 'ubuntu' | 'al2' | 'al2023';
  /** `enableSystemLogQuery` */
  readonly servesJournals: boolean;
}

/** Where rsyslog writes what journald has; Amazon Linux 2023 has no rsyslog. */
const SYSLOGS: Readonly<Record<LogServerOptions['image'], string | null>> = {
  ubuntu: '/var/log/syslog',
  al2: '/var/log/messages',
  al2023: null,
};

/** @param path what follows `/logs`, with its slash */
export function servedLog(
  machine: ServedMachine,
  { image, servesJournals }: LogServerOptions,
  path: string,
  query: Readonly<Record<string, string>>,
): KubeletPage {
  const unit = query['query'];
  // Where it is off, the parameters are not looked at.
  if (servesJournals && unit !== undefined) return journalPage(machine, unit, query['tailLines']);
  const files = servedFiles(machine, image);
  const whole = `${LOG_FOLDER}${path.replace(/^\//, '')}`;
  const text = files.get(whole);
  if (text !== undefined) return page(200, text);
  const names = namesIn([...files.keys()], whole.endsWith('/') ? whole : `${whole}/`);
  return names.length === 0 ? page(404, '404 page not found\n') : listing(names);
}

function servedFiles(
  machine: ServedMachine,
  image: LogServerOptions['image'],
): ReadonlyMap<string, string> {
  const logs = [...machine.files()].filter(([path]) => path.startsWith(LOG_FOLDER));
  const syslog = SYSLOGS[image];
  return new Map(
    syslog === null ? logs : [...logs, [syslog, machine.journalText({ format: 'short' })]],
  );
}

function namesIn(paths: readonly string[], folder: string): readonly string[] {
  const names = paths
    .filter((path) => path.startsWith(folder))
    .map((path) => path.slice(folder.length).replace(/\/.*/, '/'));
  return [...new Set(names)].toSorted();
}

/** As net/http lists a folder. */
function listing(names: readonly string[]): KubeletPage {
  const links = names.map((name) => `<a href="${encodeURI(name)}">${name}</a>\n`);
  const head = '<!doctype html>\n<meta name="viewport" content="width=device-width">\n';
  return { code: 200, type: 'text/html', text: `${head}<pre>\n${links.join('')}</pre>\n` };
}

function journalPage(machine: ServedMachine, unit: string, tailLines = ''): KubeletPage {
  if (/[^a-zA-Z\-_.:0-9@]/.test(unit))
    return page(406, `query: Invalid value: "${unit}": input contains unsupported characters\n`);
  const text = machine.journalText({ units: [unit], format: 'short-precise' });
  if (text === '') return page(200, noJournal(unit, tailLines));
  const lines = text.split(/(?<=\n)/);
  const most = /^\d{1,6}$/.test(tailLines) ? Number(tailLines) : LINES_MAX;
  return page(200, lines.slice(Math.max(0, lines.length - most)).join(''));
}

/** A unit without lines in the journal is looked for among the files, of which no end can be asked for. */
function noJournal(unit: string, tailLines: string): string {
  return tailLines === ''
    ? `\nlog not found for ${unit}\n`
    : `\noptions present and query resolved to log files for [${unit}]\ntry without specifying options\n`;
}

function page(code: number, text: string): KubeletPage {
  return { code, type: 'text/plain', text };
}
