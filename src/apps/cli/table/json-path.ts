import { parseTemplate } from './json-path-parse.ts';
import {
  type Comparison,
  JsonPathError,
  type Path,
  type PathFilter,
  type PathStep,
  type TemplatePiece,
} from './json-path-tree.ts';

const RESULTS_MAX = 2_000_000;

type Values = readonly unknown[];
type JsonRecord = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Kubernetes leaves out what it does not know, so a null of ours counts as left out. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function childrenOf(value: unknown): Values {
  if (Array.isArray(value)) return value as Values;
  return isRecord(value) ? Object.values(value).filter(isThere) : [];
}

function fieldOf(value: unknown, name: string): Values {
  if (!isRecord(value) || !Object.hasOwn(value, name)) return [];
  return isThere(value[name]) ? [value[name]] : [];
}

/** The value and everything below it that holds other values, each before what it holds. */
function containersIn(value: unknown, found: unknown[]): void {
  if (!isRecord(value) && !Array.isArray(value)) return;
  if (found.length >= RESULTS_MAX) tooMany();
  found.push(value);
  for (const child of childrenOf(value)) containersIn(child, found);
}

function tooMany(): never {
  throw new JsonPathError(`The JSONPath template finds more than ${RESULTS_MAX} values`);
}

/** A negative index counts from the end; one outside the list finds nothing. */
function indexOf(value: unknown, at: number): Values {
  if (!Array.isArray(value)) return [];
  const found: unknown = value.at(at);
  return isThere(found) ? [found] : [];
}

function sliceOf(value: unknown, step: Extract<PathStep, { kind: 'slice' }>): Values {
  if (!Array.isArray(value)) return [];
  const part = (value as Values).slice(step.from ?? 0, step.to ?? undefined);
  return step.by === 1 ? part : part.filter((_, index) => index % step.by === 0);
}

/** Values of different types are not equal, and neither is less than the other. */
function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  return typeof a === 'string' && typeof b === 'string' && a < b;
}

const COMPARE: Readonly<Record<Comparison, (a: unknown, b: unknown) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': isLess,
  '<=': (a, b) => a === b || isLess(a, b),
  '>': (a, b) => isLess(b, a),
  '>=': (a, b) => a === b || isLess(b, a),
};

function passes(value: unknown, { left, comparison, right }: PathFilter): boolean {
  const lefts = follow([value], left);
  if (comparison === null) return lefts.length > 0;
  const rights = follow([value], right);
  if (lefts.length > 1 || rights.length > 1)
    throw new JsonPathError('A JSONPath filter compares one value with one value at a time');
  return lefts.length === 1 && rights.length === 1 && COMPARE[comparison](lefts[0], rights[0]);
}

function stepFrom(value: unknown, step: PathStep): Values {
  switch (step.kind) {
    case 'field':
      return fieldOf(value, step.name);
    case 'wildcard':
      return childrenOf(value);
    case 'index':
      return indexOf(value, step.at);
    case 'slice':
      return sliceOf(value, step);
    case 'filter':
      return Array.isArray(value)
        ? (value as Values).filter((entry) => passes(entry, step.filter))
        : [];
    case 'recursive': {
      const found: unknown[] = [];
      containersIn(value, found);
      return found;
    }
    default:
      return [];
  }
}

function walk(values: Values, step: PathStep): Values {
  if (step.kind === 'constant') return [step.value];
  if (step.kind === 'union') return step.members.flatMap((member) => walk(values, member));
  const found: unknown[] = [];
  for (const value of values) {
    for (const next of stepFrom(value, step)) found.push(next);
    if (found.length > RESULTS_MAX) tooMany();
  }
  return found;
}

function follow(values: Values, path: Path): Values {
  let here = values;
  for (const step of path) here = walk(here, step);
  return here;
}

/** A value as it is printed: texts as they are, everything else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function printPieces(pieces: readonly TemplatePiece[], value: unknown, out: string[]): void {
  for (const piece of pieces) {
    if (out.length > RESULTS_MAX) tooMany();
    if (piece.kind === 'text') out.push(piece.text);
    else if (piece.kind === 'path') out.push(follow([value], piece.path).map(valueText).join(' '));
    else for (const entry of follow([value], piece.path)) printPieces(piece.body, entry, out);
  }
}

/**
 * What `-o jsonpath=TEMPLATE` prints for a document, in kubectl's dialect: several values of one
 * path with blanks between them, objects and lists as JSON, and nothing for what is not there.
 *
 * @throws JsonPathError when the template cannot be read or asks for what cannot be compared
 */
export function printTemplate(template: string, document: unknown): string {
  const out: string[] = [];
  printPieces(parseTemplate(template), document, out);
  return out.join('');
}

/** A path with or without its braces and first dot, as `--sort-by` and columns take it. */
export function parseRelaxed(text: string): Path {
  const bare = /^\{([\s\S]*)\}$/.exec(text.trim())?.[1] ?? text.trim();
  const dotted = /^[\w*\\]/.test(bare) ? `.${bare}` : bare;
  const [piece, ...rest] = parseTemplate(`{${dotted}}`);
  if (piece?.kind !== 'path' || piece.path.length === 0 || rest.length > 0)
    throw new JsonPathError(
      `${JSON.stringify(text)} is not a path; write it as .zone or {.group.name}`,
    );
  return piece.path;
}

/** All values at a path of one row. */
export function valuesAt(path: Path, value: unknown): Values {
  return follow([value], path);
}
