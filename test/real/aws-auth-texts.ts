/** Texts of aws-auth as people write them, and as nobody should: a generator by seed. */

/** A stream of numbers from 0 to below 1, the same for the same seed. */
export type Chance = () => number;

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function oneOf<T>(chance: Chance, from: readonly [T, ...T[]]): T {
  return from[Math.floor(chance() * from.length)] ?? from[0];
}

const ARNS = [
  'arn:aws:iam::111122223333:role/nodes',
  'arn:aws:iam::111122223333:role/Admins',
  'arn:aws:iam::111122223333:role/team/app/nodes',
  'arn:aws-cn:iam::111122223333:role/workers-1',
  'arn:aws:iam::111122223333:instance-profile/nodes',
  'ARN:aws:iam::111122223333:role/NODES',
  '<ARN of instance role (not instance profile)>',
  '"arn:aws:iam::111122223333:role/quoted"',
  "'arn:aws:iam::111122223333:role/single'",
  '123456789012',
  '~',
  '',
] as const;
const USERS = [
  'system:node:{{EC2PrivateDNSName}}',
  'system:node:{{SessionName}}',
  '"{{SessionName}}"',
  'admin',
  'yes',
  'off',
  '0o17',
  '0123',
  '1_000',
  '1e3',
  '.5',
  '2026-11-22',
  'null',
  '"tab\\tquote\\""',
  "'it''s'",
  '>-\n      folded\n      text',
  '|\n      block\n',
  '!!str 17',
  'plain # comment',
  'ann:smith',
] as const;
const GROUPS = [
  'system:bootstrappers',
  'system:nodes',
  'system:masters',
  'eks:kube-proxy-windows',
  '"quoted group"',
  '7',
  'on',
  '# none',
] as const;
const NAMES = [
  'rolearn',
  'rolearn',
  'rolearn',
  'rolearn',
  'RoleARN',
  'roleArn',
  'userarn',
] as const;

function groupLines(chance: Chance): readonly string[] {
  const count = Math.floor(chance() * 4);
  const groups = Array.from({ length: count }, () => oneOf(chance, GROUPS));
  const kind = chance();
  if (kind < 0.1) return ['groups: system:nodes'];
  if (kind < 0.3) return [`groups: [${groups.filter((one) => !one.startsWith('#')).join(', ')}]`];
  if (groups.length === 0) return ['groups:'];
  const indent = oneOf(chance, ['', '  ', '    ']);
  return ['groups:', ...groups.map((group) => `${indent}- ${group}`)];
}

function fieldsOf(chance: Chance): string[] {
  const fields = [`${oneOf(chance, NAMES)}: ${oneOf(chance, ARNS)}`];
  if (chance() < 0.9) fields.push(`username: ${oneOf(chance, USERS)}`);
  if (chance() < 0.1) fields.push(`username: ${oneOf(chance, USERS)}`);
  if (chance() < 0.9) fields.push(...groupLines(chance));
  if (chance() < 0.15) fields.push(oneOf(chance, ['note: kept', 'sso: {}', '# a comment', '7: 8']));
  return fields;
}

function blockEntry(chance: Chance, indent: string): string {
  const dash = oneOf(chance, ['- ', '- ', '- ', '-   ', `-\n${indent}  `]);
  const inner = `${indent}${' '.repeat(dash.includes('\n') ? 2 : dash.length)}`;
  const anchor = chance() < 0.08 ? '&base ' : '';
  const fields = fieldsOf(chance).map((field) => field.replaceAll('\n      ', `\n${inner}    `));
  if (anchor !== '' && !dash.includes('\n'))
    return `${indent}- &base\n${fields.map((field) => `${indent}  ${field}`).join('\n')}`;
  if (chance() < 0.05) fields.push('<<: *base');
  return `${indent}${dash}${fields.join(`\n${inner}`)}`;
}

function flowEntry(chance: Chance): string {
  const text = (value: string): string =>
    /^["']/.test(value) ? value : JSON.stringify(value.split('\n')[0]);
  const groups = Array.from({ length: Math.floor(chance() * 3) }, () =>
    text(oneOf(chance, GROUPS)),
  );
  const name = oneOf(chance, ['rolearn', '"rolearn"']);
  return `{${name}: ${text(oneOf(chance, ARNS))}, "username": ${text(oneOf(chance, USERS))}, groups: [${groups.join(', ')}]}`;
}

function wellFormed(chance: Chance): string {
  const count = Math.floor(chance() * 5);
  if (chance() < 0.15) {
    const joint = oneOf(chance, [', ', ',\n  ', ' ,']);
    const tail = oneOf(chance, ['', ',', '  # ]', '\n']);
    const inner = Array.from({ length: count }, () => flowEntry(chance)).join(joint);
    return tail === ',' && count > 0 ? `[${inner},]` : `[${inner}]${tail === ',' ? '' : tail}`;
  }
  const indent = oneOf(chance, ['', '', '  ', '    ']);
  const head = oneOf(chance, [
    '',
    '',
    '',
    '---\n',
    '# who may be a node\n',
    '\n',
    '%YAML 1.1\n---\n',
  ]);
  const body = Array.from({ length: count }, () => {
    const comment =
      chance() < 0.15 ? `${indent}# ${oneOf(chance, ['nodes', '- rolearn: x', 'ä'])}\n` : '';
    return `${comment}${blockEntry(chance, indent)}${oneOf(chance, ['\n', '\n', '\n', '\n\n', '  \n'])}`;
  }).join('');
  const tail = oneOf(chance, [
    '',
    '',
    '',
    '',
    '# the end\n',
    '...\n',
    '---\n- rolearn: second\n',
    '\n\n',
  ]);
  const text = `${head}${body}${tail}`;
  return chance() < 0.2 ? text.trimEnd() : text;
}

/** One character or line that is not as it was. */
function damaged(chance: Chance, text: string): string {
  const at = Math.floor(chance() * (text.length + 1));
  const lines = text.split('\n');
  const line = Math.floor(chance() * lines.length);
  switch (Math.floor(chance() * 8)) {
    case 0:
      return `${text.slice(0, at)}${text.slice(at + 1)}`;
    case 1:
      return `${text.slice(0, at)}${oneOf(chance, ['\t', ' ', ':', '-', '[', '}', '"', '&', '*', '\n', '#', '\u0000', '%', '@', '`'])}${text.slice(at)}`;
    case 2:
      return lines.with(line, (lines[line] ?? '').replace(/^ {1,2}/, '\t')).join('\n');
    case 3:
      return lines.with(line, ` ${lines[line] ?? ''}`).join('\n');
    case 4:
      return lines.with(line, (lines[line] ?? '').replace(/^ /, '')).join('\n');
    case 5:
      return text.slice(0, at);
    case 6:
      return lines.toSpliced(line, 0, lines[line] ?? '').join('\n');
    default:
      return `${text}${oneOf(chance, ['null', '- text\n', 'key: value\n', '[]', '\t\n'])}`;
  }
}

/** A text of `mapRoles`; about one in three was damaged. */
export function awsAuthText(chance: Chance): string {
  if (chance() < 0.03)
    return oneOf(chance, [
      '',
      ' \n',
      "''",
      '""',
      '``',
      'null',
      '~',
      '{}',
      'text',
      '[]',
      '# none',
      '---',
    ]);
  let text = wellFormed(chance);
  for (let times = chance() < 0.35 ? 1 + Math.floor(chance() * 2) : 0; times > 0; times -= 1)
    text = damaged(chance, text);
  return chance() < 0.1 ? text.replaceAll('\n', '\r\n') : text;
}
