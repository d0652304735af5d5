import type { UserData } from '../../evidence/user-data.ts';

const FLAGS_MAX = 50;
/** What bootstrap.sh hands on to the kubelet; its own arguments are others. */
const EXTRA = /--kubelet-extra-args(?:=|\s+)(?:'([^']{0,4000})'|"([^"]{0,4000})")/g;
/** A flag in the list of a NodeConfig. */
const LISTED = /^[ \t]{0,64}-[ \t]{1,64}["']?(--[a-z][\w-]{1,60}[^\n]{0,2000})$/gm;
const FLAG = /(?<![\w-])--([a-z][a-z0-9-]{1,60})(?![\w-])/g;
const MAX_PODS =
  /--max-pods(?:=|\s+)["']?(\d{1,4})\b|^[ \t]{0,64}(?:maxPods:|max-pods[ \t]{0,8}=)[ \t]{0,64}(\d{1,4})[ \t]{0,64}$/m;

/** What user data passes to the kubelet, by the names of its flags; comments do not count. */
export function kubeletArgumentsOf(text: string): Pick<UserData, 'kubeletFlags' | 'maxPods'> {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const own = lines.join('\n');
  const passed = [
    ...[...own.matchAll(EXTRA)].map(([, single, double]) => single ?? double ?? ''),
    ...[...own.matchAll(LISTED)].map(([, flag = '']) => flag),
  ];
  const names = passed.flatMap((part) => [...part.matchAll(FLAG)].map(([, name = '']) => name));
  const [, asFlag, asField] = MAX_PODS.exec(own) ?? [];
  const count = asFlag ?? asField;
  return {
    kubeletFlags: [...new Set(names)].slice(0, FLAGS_MAX),
    maxPods: count === undefined ? null : Number(count),
  };
}
