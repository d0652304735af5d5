import { at, isObject, type Json, type JsonObject, listAt, textAt } from '../../evidence/json.ts';
import type {
  BootstrapCall,
  ClusterGiven,
  NodeConfigGiven,
  UserData,
  UserDataForm,
} from '../../evidence/user-data.ts';
import { decodedUserData, readUserData } from '../aws/user-data.ts';
import { EVIDENCE_VERSION } from '../evidence-version.ts';
import type { SignTable } from '../sign-table.ts';
import { countLeftOut, type LeftOut } from './keep.ts';
import { type NumberedLine, linesWithSigns } from './sign-lines.ts';

/** What saved evidence has in the place of user data, which people keep secrets in. */
export const USER_DATA_KIND = 'UserData';

/** What causes read of user data: its facts, and the lines that some cause looks for. */
export function savedUserData(
  instanceId: string,
  encoded: string | null,
  table: SignTable,
  left: LeftOut,
): JsonObject {
  const text = encoded === null ? '' : decodedUserData(encoded);
  const lines = linesWithSigns(text, table);
  const count = text.split('\n').filter((line) => line.trim() !== '').length;
  countLeftOut(left, 'lines of user data', count - lines.length);
  return {
    apiVersion: EVIDENCE_VERSION,
    kind: USER_DATA_KIND,
    given: readUserData(instanceId, encoded) as unknown as JsonObject,
    lines: lines.map(({ line, text: words }) => ({ line, text: words })),
  };
}

const FORMS: readonly UserDataForm[] = [
  'empty',
  'compressed',
  'mime',
  'script',
  'cloud-config',
  'node-config',
  'toml',
  'other',
];
const ENTRIES_MAX = 100;

function clusterOf(value: Json): ClusterGiven {
  return {
    name: textAt(value, 'name'),
    endpoint: textAt(value, 'endpoint'),
    authority: textAt(value, 'authority'),
    cidr: textAt(value, 'cidr'),
  };
}

function nodeConfigOf(value: Json): NodeConfigGiven {
  return { ...clusterOf(value), unreadable: textAt(value, 'unreadable') };
}

function bootstrapOf(value: Json | undefined): BootstrapCall | null {
  if (!isObject(value)) return null;
  const isExplicit = value['isExplicit'] === true;
  return { cluster: textAt(value, 'cluster'), isExplicit, words: textAt(value, 'words') ?? '' };
}

/** The facts of user data as they were saved; null where the document is none of ours. */
export function userDataOf(value: JsonObject): UserData | null {
  const given = at(value, 'given');
  const form = FORMS.find((one) => one === textAt(given, 'form'));
  if (!isObject(given) || form === undefined) return null;
  const settings = given['settings'];
  return {
    instanceId: textAt(given, 'instanceId') ?? '',
    form,
    bytes: Number(textAt(given, 'bytes') ?? Number.NaN),
    mimeFault: textAt(given, 'mimeFault'),
    nodeConfigs: listAt(given, 'nodeConfigs').slice(0, ENTRIES_MAX).map(nodeConfigOf),
    bootstrapCall: bootstrapOf(given['bootstrapCall']),
    settings: isObject(settings) ? clusterOf(settings) : null,
    namesNodeadm: given['namesNodeadm'] === true,
    joinTokenId: textAt(given, 'joinTokenId'),
    reservedLabels: listAt(given, 'reservedLabels').slice(0, ENTRIES_MAX).map(String),
    kubeletFlags: listAt(given, 'kubeletFlags').slice(0, ENTRIES_MAX).map(String),
    maxPods: typeof given['maxPods'] === 'number' ? given['maxPods'] : null,
  };
}

const LINES_MAX = 5000;

/** The lines of user data that were saved, with the numbers that they had. */
export function userDataLinesOf(value: JsonObject): readonly NumberedLine[] {
  return listAt(value, 'lines')
    .slice(0, LINES_MAX)
    .flatMap((entry) => {
      const [line, text] = [Number(textAt(entry, 'line')), textAt(entry, 'text')];
      return Number.isSafeInteger(line) && text !== null ? [{ line, text }] : [];
    });
}
