import { isObject, type Json, type JsonObject, textAt } from '../evidence/json.ts';
import { classifyName, type MachineName } from '../evidence/names.ts';
import type { LineSource } from '../evidence/source.ts';
import { EVIDENCE_VERSION } from './evidence-version.ts';

const KIND = 'MachineLog';

/** A log that Rollcall read from a machine, of which it knows which one it is. */
export interface MachineLog {
  readonly node: string | null;
  readonly instanceId: string | null;
  /** The path on the machine, null for what is no file. */
  readonly file: string | null;
  /** The unit whose journal it is, null for any other. */
  readonly unit: string | null;
  readonly text: string;
}

/** The document that goes to the readers, and into saved evidence. */
export function machineLog(log: MachineLog): JsonObject {
  return { apiVersion: EVIDENCE_VERSION, kind: KIND, ...log };
}

/** Reads such a document; null for any other. */
export function machineLogOf(value: Json): MachineLog | null {
  if (!isObject(value) || textAt(value, 'apiVersion') !== EVIDENCE_VERSION) return null;
  const text = textAt(value, 'text');
  if (textAt(value, 'kind') !== KIND || text === null) return null;
  return {
    node: textAt(value, 'node'),
    instanceId: textAt(value, 'instanceId'),
    file: textAt(value, 'file'),
    unit: textAt(value, 'unit'),
    text,
  };
}

/** The names of the machine; the first one is that by which it was asked. */
export function namesOfLog({ node, instanceId }: MachineLog): readonly MachineName[] {
  const names = [classifyName(node ?? '', 'node'), classifyName(instanceId ?? '', 'instance-id')];
  return names.filter((name) => name !== null);
}

/** Files of which every line is of one program. */
const SOURCES: readonly (readonly [RegExp, LineSource])[] = [
  [/\/aws-routed-eni\/ipamd\.log$/, 'ipamd'],
  [/\/aws-routed-eni\/plugin\.log$/, 'cni-plugin'],
  [/\/(?:cloud-init[\w-]*|user-data)\.log$/, 'cloud-init'],
];

/** What its lines are when they do not say so themselves. */
export function sourceOfLog({ file }: MachineLog): LineSource | undefined {
  return SOURCES.find(([path]) => path.test(file ?? ''))?.[1];
}
