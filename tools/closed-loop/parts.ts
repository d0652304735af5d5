/** What a printed command consists of, and the ways in which people ask the same. */
import { piped, sequence } from '../../src/diagnosis/report/shell-words.ts';

/** The program of a part and the filters behind it. */
export function pipeOf(part: string): { readonly first: string; readonly filters: string } {
  const [first = '', ...filters] = piped(part);
  return { first, filters: filters.join(' | ') };
}

export type Kind = 'kubectl' | 'aws' | 'machine';

export function kindOf(part: string): Kind {
  if (/^(?:kubectl|oc) /.test(part)) return 'kubectl';
  return part.startsWith('aws ') ? 'aws' : 'machine';
}

/** Forms of a whole command, which ask all its parts in the same way. */
export function formsOf(command: string): readonly (readonly [form: string, command: string])[] {
  const parts = sequence(command);
  const isPlain = (part: string): boolean => !part.includes(' | ');
  const forms: (readonly [string, string])[] = [['as printed', command]];
  if (parts.every((part) => isPlain(part) && isTable(part)))
    for (const output of ['', ' -o wide', ' -o yaml', ' -o json']) {
      const typed = parts
        .map((part) => `${part.replace(/ -o (?:json|yaml|wide)\b/, '')}${output}`)
        .join('; ');
      if (typed !== command) forms.push([output === '' ? 'table' : output.slice(4), typed]);
    }
  if (parts.every((part) => isPlain(part) && part.startsWith('aws ') && !part.includes('--output')))
    for (const form of ['text', 'table'])
      forms.push([form, parts.map((part) => `${part} --output ${form}`).join('; ')]);
  return forms;
}

function isTable(part: string): boolean {
  return /^(?:kubectl|oc) .*\bget\b/.test(part) && !/custom-columns|jsonpath|--raw/.test(part);
}
