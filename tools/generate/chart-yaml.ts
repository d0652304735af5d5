/** Writes templates of objects as templates of a Helm chart, with the same holes. */
import { dump } from 'js-yaml';
import {
  type Condition,
  HOLE,
  type Hole,
  isHole,
  isList,
  NAMESPACE_PATH,
  type Template,
  type TemplateFields,
  type TemplateList,
  type TextPiece,
} from '../../src/manifests/template.ts';

const LINE_WIDTH = 100;
const PLAIN_KEY = /^[A-Za-z][\w./-]*$/;

function expressionOf(path: string): string {
  return path === NAMESPACE_PATH ? '.Release.Namespace' : `.Values.${path}`;
}

/** A condition as Helm asks it. */
export function conditionText(condition: Condition): string {
  switch (condition.test) {
    case 'on':
      return expressionOf(condition.path);
    case 'has':
      return `(has ${JSON.stringify(condition.item)} ${expressionOf(condition.path)})`;
    case 'equals':
      return `(eq ${expressionOf(condition.path)} ${JSON.stringify(condition.value)})`;
    default: {
      const word = condition.test === 'all' ? 'and' : 'or';
      return `(${word} ${condition.of.map(conditionText).join(' ')})`;
    }
  }
}

function pieceExpression(one: Exclude<TextPiece, string>): string {
  const expression = expressionOf(one.path);
  return one.isJoined ? `(join "," ${expression})` : `(toString ${expression})`;
}

/** A text of fixed and filled pieces, quoted so that no value ends it. */
function textExpression(pieces: readonly TextPiece[]): string {
  const format = pieces
    .map((one) => (typeof one === 'string' ? one.replaceAll('%', '%%') : '%s'))
    .join('');
  const filled = pieces.flatMap((one) => (typeof one === 'string' ? [] : [pieceExpression(one)]));
  return `{{ printf ${JSON.stringify(format)} ${filled.join(' ')} | toJson }}`;
}

function hasHoles(template: Template): boolean {
  if (typeof template !== 'object' || template === null) return false;
  if (isHole(template)) return true;
  const inner = isList(template) ? template : Object.values(template);
  return inner.some(hasHoles);
}

function indented(lines: readonly string[], indent: number): readonly string[] {
  return lines.map((line) => (line === '' ? '' : `${' '.repeat(indent)}${line}`));
}

/** What has no holes, as js-yaml writes it. */
function fixed(template: unknown, indent: number): readonly string[] {
  const text = dump(template, { lineWidth: LINE_WIDTH - indent, noRefs: true }).trimEnd();
  if (text.includes('{{')) throw new RangeError(`Helm would read this: ${text}`);
  return indented(text.split('\n'), indent);
}

function scalar(hole: Hole): string {
  if (hole[HOLE] === 'value') return `{{ ${expressionOf(hole.path)} | toJson }}`;
  if (hole[HOLE] === 'text') return textExpression(hole.pieces);
  throw new RangeError(`a ${hole[HOLE]} has no place here`);
}

function guarded(
  condition: Condition,
  lines: readonly string[],
  indent: number,
): readonly string[] {
  const pad = ' '.repeat(indent);
  if (lines[0]?.startsWith(`${pad}{{- if `) === true)
    throw new RangeError('a condition within a condition; join the two');
  return [`${pad}{{- if ${conditionText(condition)} }}`, ...lines, `${pad}{{- end }}`];
}

/** One after the other; neighbors with the same condition are asked once. */
function listed(
  items: TemplateList,
  linesOf: (item: Template) => readonly string[],
  indent: number,
): readonly string[] {
  const lines: string[] = [];
  for (const item of items) {
    const [first = '', ...rest] = linesOf(item);
    const isGuarded = isHole(item) && item[HOLE] === 'when';
    const isSame = isGuarded && lines.length > 0 && first === lastGuard(lines, indent);
    if (isSame) lines.splice(-1, 1, ...rest);
    else lines.push(first, ...rest);
  }
  return lines;
}

/** The condition that the last line ends, if it ends one at this depth. */
function lastGuard(lines: readonly string[], indent: number): string | undefined {
  const pad = ' '.repeat(indent);
  if (lines.at(-1) !== `${pad}{{- end }}`) return undefined;
  return lines.findLast((line) => line.startsWith(`${pad}{{- if `));
}

/** Objects as documents of a template. */
export function documentsOf(objects: readonly Template[]): readonly string[] {
  return listed(objects, documentLines, 0);
}

function fieldLines(key: string, one: Template, indent: number): readonly string[] {
  if (!hasHoles(one)) return fixed({ [key]: one }, indent);
  const head = `${' '.repeat(indent)}${PLAIN_KEY.test(key) ? key : JSON.stringify(key)}:`;
  if (isHole(one)) {
    return one[HOLE] === 'when'
      ? guarded(one.condition, fieldLines(key, one.content, indent), indent)
      : [`${head} ${scalar(one)}`];
  }
  if (isList(one)) return [head, ...listed(one, (item) => itemLines(item, indent + 2), indent + 2)];
  return [head, ...objectLines(one as TemplateFields, indent + 2)];
}

/** The fields of an object, one below the other. */
export function objectLines(fields: TemplateFields, indent: number): readonly string[] {
  return Object.entries(fields).flatMap(([key, one]) => fieldLines(key, one, indent));
}

function eachLines(path: string, prefix: string, indent: number): readonly string[] {
  const pad = ' '.repeat(indent);
  const format = JSON.stringify(`${prefix.replaceAll('%', '%%')}%s`);
  return [
    `${pad}{{- range ${expressionOf(path)} }}`,
    `${pad}- {{ printf ${format} (toString .) | toJson }}`,
    `${pad}{{- end }}`,
  ];
}

function itemLines(item: Template, indent: number): readonly string[] {
  if (!hasHoles(item)) return fixed([item], indent);
  const pad = ' '.repeat(indent);
  if (isHole(item)) {
    if (item[HOLE] === 'when')
      return guarded(item.condition, itemLines(item.content, indent), indent);
    if (item[HOLE] === 'each') return eachLines(item.path, item.prefix, indent);
    return [`${pad}- ${scalar(item)}`];
  }
  const [first = '', ...rest] = isList(item)
    ? listed(item, (one) => itemLines(one, indent + 2), indent + 2)
    : objectLines(item as TemplateFields, indent + 2);
  if (first.trimStart().startsWith('{{'))
    throw new RangeError('the first field of an item must always be there');
  return [`${pad}- ${first.trimStart()}`, ...rest];
}

/** One object as a document of a template. */
function documentLines(template: Template): readonly string[] {
  if (isHole(template)) {
    if (template[HOLE] !== 'when') throw new RangeError('an object is no value');
    return guarded(template.condition, documentLines(template.content), 0);
  }
  return ['---', ...objectLines(template as TemplateFields, 0)];
}
