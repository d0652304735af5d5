/** Codes of AWS from the types of its clients: the errors, and enumerations such as health issues. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoMessage } from './go-messages.ts';
import type { SdkModel } from './programs.ts';

const CLIENTS = join(import.meta.dirname, '../../node_modules/@aws-sdk');
const ERROR = /^export declare class (\w+) extends __BaseException/gm;
const ENUMERATION = /^export declare const (\w+): \{([^}]*)\}/gm;
const VALUE = /: "([^"]+)"/g;

/** The codes of one client. */
export function codesOf(model: SdkModel): readonly GoMessage[] {
  const folder = join(CLIENTS, model.client, 'dist-types/models');
  return [
    ...errorsIn(model.client, textOf(join(folder, 'errors.d.ts'))),
    ...enumerationsIn(model, textOf(join(folder, 'enums.d.ts'))),
  ];
}

/** EC2 has no modelled errors, STS no enumerations. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** The exceptions that the text of an `errors.d.ts` declares. */
export function errorsIn(client: string, text: string): readonly GoMessage[] {
  return [...text.matchAll(ERROR)].map(([, name = '']) => code(name, `${client}/errors`));
}

/** The values of the enumerations that the model asks for. */
export function enumerationsIn(model: SdkModel, text: string): readonly GoMessage[] {
  return [...text.matchAll(ENUMERATION)].flatMap(([, name = '', values = '']) =>
    model.enumerations.test(name)
      ? [...values.matchAll(VALUE)].map(([, value = '']) => code(value, `${model.client}/${name}`))
      : [],
  );
}

function code(text: string, file: string): GoMessage {
  return { level: 'reason', text, file, line: 0 };
}
