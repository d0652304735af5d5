/** What the user data of an instance asks for. */
export type UserData =
  | { readonly kind: 'none' }
  | { readonly kind: 'script'; readonly script: string; readonly hostname: string | null }
  | { readonly kind: 'nodeadm'; readonly config: NodeConfig | null; readonly script: string };

/** The NodeConfig of nodeadm, as far as it decides whether a machine joins. */
export interface NodeConfig {
  readonly name: string;
  readonly apiServerEndpoint: string;
  readonly certificateAuthority: string;
  readonly cidr: string;
  readonly kubeletFlags: string;
  readonly maxPods: number | null;
  readonly isNamedByInstanceId: boolean;
}

/** EC2 takes 16 KiB. */
const USER_DATA_MAX = 65_536;

/** Reads user data: a script, `#cloud-config` with `runcmd`, or a NodeConfig, alone or in MIME. */
export function userDataOf(text: string): UserData {
  const given = text.slice(0, USER_DATA_MAX);
  const parts = partsOf(given);
  const config = parts.find((part) => /^apiVersion:\s*node\.eks\.aws\//m.test(part));
  const scripts = parts.filter((part) => part.startsWith('#!')).join('\n');
  if (config !== undefined)
    return { kind: 'nodeadm', config: nodeConfigOf(config), script: scripts };
  const cloud = parts.find((part) => part.startsWith('#cloud-config'));
  if (cloud !== undefined) {
    const script = `${runCommands(cloud)}\n${scripts}`;
    return {
      kind: 'script',
      script,
      hostname: topField(cloud, 'fqdn') ?? topField(cloud, 'hostname'),
    };
  }
  if (scripts !== '') return { kind: 'script', script: scripts, hostname: null };
  return { kind: 'none' };
}

function partsOf(text: string): readonly string[] {
  const [, boundary] = /boundary="?([^"\s;]{1,70})"?/i.exec(text.slice(0, 2000)) ?? [];
  if (boundary === undefined) return [text.trimStart()];
  return text.split(`--${boundary}`).map((part) => {
    const body = part.search(/\r?\n\r?\n/);
    return body < 0 ? '' : part.slice(body).trim();
  });
}

function topField(text: string, name: string): string | null {
  return new RegExp(`^${name}:[ \\t]*["']?([^\\s"'#]{1,253})`, 'm').exec(text)?.[1] ?? null;
}

/** Items of `runcmd`, written as text or as a list of words. */
function runCommands(cloud: string): string {
  const start = cloud.search(/^runcmd:[ \t]*$/m);
  if (start < 0) return '';
  const commands: string[] = [];
  for (const line of cloud.slice(start).split('\n').slice(1)) {
    if (/^[^\s-]/.test(line)) break;
    const [, item] = /^\s*-\s+(.+)$/.exec(line) ?? [];
    if (item !== undefined) commands.push(commandOf(item));
  }
  return commands.join('\n');
}

function commandOf(item: string): string {
  if (!item.startsWith('[')) return item.replace(/^(["'])(.*)\1$/, '$2');
  return item
    .slice(1, item.lastIndexOf(']'))
    .split(',')
    .map((word) => word.trim())
    .join(' ');
}

function nodeConfigOf(text: string): NodeConfig | null {
  const field = (name: string): string =>
    new RegExp(`^[ \\t]+${name}:[ \\t]*["']?([^\\s"'#]{1,4000})`, 'm').exec(text)?.[1] ?? '';
  if (/\t/.test(text)) return null;
  const flags = [...text.matchAll(/^[ \t]+-[ \t]+["']?(--[^\n]{1,1000}?)["']?[ \t]*$/gm)].map(
    ([, flag]) => flag,
  );
  const maxPods = Number(field('maxPods'));
  return {
    name: field('name'),
    apiServerEndpoint: field('apiServerEndpoint'),
    certificateAuthority: field('certificateAuthority'),
    cidr: field('cidr'),
    kubeletFlags: flags.join(' '),
    maxPods: maxPods > 0 ? maxPods : null,
    isNamedByInstanceId: /InstanceIdNodeName:[ \t]*true/.test(text),
  };
}
