import { readFileSync, statSync } from 'node:fs';
import { dump } from 'js-yaml';
import {
  convert,
  type ConvertDocument,
  type ConvertedGate,
} from '../../controllers/gate/convert/convert.ts';
import { redact } from '../../evidence/redact.ts';
import { parseLinedYaml } from '../../readers/text/yaml-lines.ts';
import { type CliContext, UsageError } from '../cli/context.ts';

const BYTES_MAX = 16 * 1024 * 1024;

async function textOf(path: string, { stdin }: CliContext): Promise<string> {
  if (path === '-') return piped(stdin());
  try {
    if (statSync(path).size > BYTES_MAX) throw new UsageError(`${path} is larger than 16 MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'failed';
    throw new UsageError(code === 'ENOENT' ? `no such file: ${path}` : `${path}: ${code}`);
  }
}

async function piped(input: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of input) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > BYTES_MAX) throw new UsageError('the standard input is larger than 16 MiB');
  }
  return text + decoder.decode();
}

interface Part {
  readonly text: string;
  /** Lines before it. */
  readonly before: number;
}

/** Documents of a YAML stream; JSON is one. */
function partsOf(text: string): readonly Part[] {
  const lines = text.split(/\r?\n/);
  const starts = [-1, ...lines.flatMap((line, at) => (/^---(?:\s|$)/.test(line) ? [at] : []))];
  return starts
    .map((start, index) => ({
      text: lines.slice(start + 1, starts[index + 1]).join('\n'),
      before: start + 1,
    }))
    .filter((part) => part.text.split('\n').some((line) => !/^\s*(?:#|$)/.test(line)));
}

/** @throws UsageError for what is no YAML */
function documentsOf(path: string, text: string): readonly ConvertDocument[] {
  return partsOf(text).map((part) => {
    const parsed = parseLinedYaml(part.text);
    if (!parsed.ok)
      throw new UsageError(`${path}, line ${part.before + parsed.line}: ${parsed.why}`);
    const lineOf = (at: string): number => part.before + parsed.lineOf(at);
    return { path: path === '-' ? 'standard input' : path, value: parsed.value, lineOf };
  });
}

/** Whatever a file says, it does not end the comment. */
function comment(text: string): string {
  return `# ${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`;
}

function printed({ from, gate, notes }: ConvertedGate): string {
  const comments = [`From ${from}.`, ...notes].map(comment);
  // A folded line would hide the form of a secret.
  const yaml = dump(gate, { lineWidth: -1, noRefs: true });
  return redact(`---\n${comments.join('')}${yaml}`);
}

/**
 * Prints the NodeGates that files of other programs lead to.
 *
 * @returns false when something cannot be converted, which is said on standard error
 * @throws UsageError for a file that cannot be read
 */
export async function convertFiles(
  paths: readonly string[],
  context: CliContext,
): Promise<boolean> {
  const documents: ConvertDocument[] = [];
  for (const path of paths) documents.push(...documentsOf(path, await textOf(path, context)));
  const parse = (text: string): ConvertDocument | null => {
    const parsed = parseLinedYaml(text);
    return parsed.ok ? { ...parsed, path: '' } : null;
  };
  const { gates, refusals } = convert(documents, parse);
  for (const one of gates) context.out(printed(one));
  for (const refusal of refusals) context.err(`${redact(refusal)}\n`);
  return refusals.length === 0;
}
