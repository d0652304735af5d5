/** What `kubeadm join` is told, by flags or by a JoinConfiguration. */
export interface JoinConfiguration {
  readonly token: string;
  /** `--node-name` or `nodeRegistration.name`; the hostname without. */
  readonly nodeName: string | null;
  /** Extra arguments of the kubelet, as flags. */
  readonly kubeletFlags: string;
  readonly ignoresPreflight: boolean;
}

/** @param read gives the text of a file, null when there is none */
export function joinConfiguration(
  words: readonly string[],
  read: (path: string) => string | null,
): JoinConfiguration {
  const flags = flagsOf(words);
  const path = flags.get('--config');
  const file = path === undefined ? '' : (read(path) ?? '');
  return {
    token: flags.get('--token') ?? field(file, 'token') ?? '',
    nodeName: flags.get('--node-name') ?? nameIn(file),
    kubeletFlags: `${extraArguments(file)}${taints(file)}`.trim(),
    ignoresPreflight: flags.has('--ignore-preflight-errors') || /ignorePreflightErrors/.test(file),
  };
}

/** `--name=value` and `--name value`. */
export function flagsOf(words: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (const [index, word] of words.entries()) {
    if (!word.startsWith('--')) continue;
    const equals = word.indexOf('=');
    if (equals >= 0) flags.set(word.slice(0, equals), word.slice(equals + 1));
    else flags.set(word, words[index + 1] ?? '');
  }
  return flags;
}

function field(file: string, name: string): string | null {
  const found = new RegExp(`^[ \\t-]*${name}:[ \\t]*["']?([^\\s"'#]{1,500})`, 'm').exec(file);
  return found?.[1] ?? null;
}

/** The name below `nodeRegistration`; others have names too. */
function nameIn(file: string): string | null {
  const block = blockOf(file, 'nodeRegistration');
  const [, name] = /^[ ]{1,4}name:[ \t]*["']?([^\s"'#]{1,253})/m.exec(block) ?? [];
  return name ?? null;
}

function blockOf(file: string, name: string): string {
  const lines = file.split('\n');
  const start = lines.findIndex(
    (line) => line.trimEnd() === `${name}:` || line.trim() === `${name}:`,
  );
  if (start < 0) return '';
  const indent = indentOf(lines[start] ?? '');
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(
    (line) => line.trim() !== '' && indentOf(line) <= indent && !line.trim().startsWith('- '),
  );
  return rest.slice(0, end < 0 ? undefined : end).join('\n');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Both forms: a map up to v1beta3, a list of names and values since v1beta4. */
function extraArguments(file: string): string {
  const block = blockOf(file, 'kubeletExtraArgs');
  const listed = [
    ...block.matchAll(
      /name:[ \t]*["']?([\w-]{1,60})["']?[ \t]*\n[ \t]*value:[ \t]*["']?([^"'\n]{1,500})/g,
    ),
  ];
  if (listed.length > 0)
    return listed.map(([, name, value]) => `--${name}=${value?.trim()} `).join('');
  const mapped = [...block.matchAll(/^[ \t]+([\w-]{1,60}):[ \t]*["']?([^"'\n]{1,500})/gm)];
  return mapped.map(([, name, value]) => `--${name}=${value?.trim()} `).join('');
}

function taints(file: string): string {
  const block = blockOf(file, 'taints');
  const keys = [...block.matchAll(/key:[ \t]*["']?([^\s"']{1,300})/g)].map(([, key]) => key);
  const effects = [...block.matchAll(/effect:[ \t]*["']?(\w{1,30})/g)].map(([, effect]) => effect);
  if (keys.length === 0) return '';
  const all = keys.map((key, index) => `${key}:${effects[index] ?? 'NoSchedule'}`);
  return `--register-with-taints=${all.join(',')}`;
}
