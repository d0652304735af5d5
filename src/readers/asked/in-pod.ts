import { at, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type { PassageReading } from '../passage.ts';
import type { Command } from './command.ts';

/** What ran in a pod, and in which. */
interface InPod {
  /** `namespace/name` where both are told, else the name. */
  readonly pod: string;
  readonly program: string;
  readonly text: string;
}

/** What `kubectl exec` or `kubectl run` had a pod run; null for any other command. */
function inPod({ program, words, options }: Command): InPod | null {
  const [verb = '', name = ''] = words;
  const behind = words.indexOf('--');
  if (!/^(?:kubectl|oc)$/.test(program) || !/^(?:exec|run|debug)$/.test(verb) || behind < 2)
    return null;
  const inner = words.slice(behind + 1);
  const isShell = /^(?:\/bin\/)?(?:ba|a)?sh$/.test(inner[0] ?? '') && inner[1] === '-c';
  const text = isShell ? (inner[2] ?? '') : inner.join(' ');
  const namespace = options.get('n') ?? options.get('namespace') ?? null;
  const plain = name.replace(/^pods?\//, '');
  const pod = namespace === null ? plain : `${namespace}/${plain}`;
  return { pod, program: text.trim().split(/\s/)[0] ?? '', text: text.trim().slice(0, 300) };
}

const PARTS_MAX = 8;
const RESOLVES = /^(?:nslookup|dig|host|getent)\s/;
const LISTS_VARIABLES = /^(?:env|printenv)$/;
const ROLE_OF_METADATA = /\/meta-data\/iam\/security-credentials\/?(?=["'\s;]|$)/;
const ENDED = /^command terminated with (?:non-zero )?exit code(?::.{0,80})? ?1$/;

/** The variables of AWS by which a pod is given a role. */
const GIVEN = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'];

/** What grep looks for, which may be a part of a name. */
function soughtBy(filter: string): RegExp | null {
  const [, flags = '', word = ''] =
    /^e?grep\s+(-[a-zA-Z]{1,4}\s+)?["']?\^?([A-Za-z_]{3,60})["']?$/.exec(filter) ?? [];
  if (word === '' || flags.includes('v')) return null;
  return new RegExp(word, flags.includes('i') ? 'i' : '');
}

/** Names of variables of AWS that the output would have had and does not have. */
function lacking(
  { filter, text }: Omit<InPod, 'pod'> & Pick<Command, 'filter'>,
  output: readonly string[],
): readonly string[] {
  const names = output.flatMap((line) => /^([A-Z_][A-Z0-9_]*)=/i.exec(line)?.[1] ?? []);
  const isNone = output.length === 0 || ENDED.test(output[0]?.trim() ?? '');
  const without = GIVEN.filter((name) => !names.includes(name));
  if (filter !== '') {
    const sought = isNone ? soughtBy(filter) : null;
    return sought === null ? [] : without.filter((name) => sought.test(name));
  }
  const one = /^printenv\s+(\w{1,60})$/.exec(text)?.[1];
  if (one !== undefined) return isNone ? without.filter((name) => name === one) : [];
  // A container always has these, so that all of its variables are shown.
  const isWhole = names.includes('PATH') && names.includes('KUBERNETES_SERVICE_HOST');
  return isWhole ? without : [];
}

function sayOf(passage: PassageReading, line: number): (text: string) => void {
  const nobody = { when: null, host: null, about: null } as const;
  return (text) => passage.say({ ...nobody, text, source: 'client-output', line, isState: true });
}

/** Says which variables of AWS a part of a Pod lacks, where it shows the variables of its containers. */
export function sayLacking(passage: PassageReading, part: JsonObject, line: number): void {
  const lists = listAt(part, 'spec.containers').map((one) => at(one, 'env'));
  if (textAt(part, 'kind') !== 'Pod' || !lists.some((list) => Array.isArray(list))) return;
  const names = lists.flatMap((list) =>
    Array.isArray(list) ? (list as readonly Json[]).map((one) => textAt(one, 'name')) : [],
  );
  const namespace = textAt(part, 'metadata.namespace');
  const name = textAt(part, 'metadata.name') ?? '';
  const pod = namespace === null ? name : `${namespace}/${name}`;
  for (const one of GIVEN.filter((given) => !names.includes(given)))
    sayOf(passage, line)(`Pod ${pod} has no variable ${one}`);
}

/** Says what a command in a pod asked and shows, which its output alone does not tell. */
export function readInPod(
  passage: PassageReading,
  command: Command,
  { line, output }: { readonly line: number; readonly output: readonly string[] },
): void {
  const ran = inPod(command);
  if (ran === null) return;
  const say = sayOf(passage, line);
  for (const part of ran.text.split(/\s{0,4}(?:;|&&)\s{0,4}/).slice(0, PARTS_MAX))
    if (RESOLVES.test(part)) say(`In a pod: ${part}`);
  const [first = ''] = output;
  if (ROLE_OF_METADATA.test(ran.text) && /^[\w+=,.@-]{1,64}$/.test(first.trim()))
    say(`Pod ${ran.pod} is given the role ${first.trim()} by instance metadata`);
  if (LISTS_VARIABLES.test(ran.program))
    for (const name of lacking({ ...ran, filter: command.filter }, output))
      say(`Pod ${ran.pod} has no variable ${name}`);
}
