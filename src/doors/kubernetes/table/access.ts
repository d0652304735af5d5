import { type Json, type JsonObject, textAt } from '../../../evidence/json.ts';
import { humanDuration } from './age.ts';
import {
  age,
  type Cell,
  type Column,
  columns,
  created,
  joined,
  length,
  name,
  NONE,
  numberAt,
  objectsAt,
  text,
} from './column.ts';

export const CREATED: readonly Column[] = columns('Name/name | Created At:date', name, created);

function subjects(kind: string): Cell {
  return (object) =>
    joined(
      objectsAt(object, 'subjects')
        .filter((one) => textAt(one, 'kind') === kind)
        .map((one) => {
          const namespace = textAt(one, 'namespace');
          const own = textAt(one, 'name') ?? '';
          return kind === 'ServiceAccount' ? `${namespace ?? ''}/${own}` : own;
        }),
      ', ',
    );
}

export const ROLE_BINDING: readonly Column[] = columns(
  'Name/name | Role | Age | Users*1 | Groups*1 | ServiceAccounts*1',
  name,
  (object) => `${textAt(object, 'roleRef.kind') ?? ''}/${textAt(object, 'roleRef.name') ?? ''}`,
  age,
  subjects('User'),
  subjects('Group'),
  subjects('ServiceAccount'),
);

function conditionOf(csr: JsonObject): Json {
  const types = new Set(
    objectsAt(csr, 'status.conditions').map((one) => textAt(one, 'type') ?? ''),
  );
  const word = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const failed = types.has('Failed') ? ',Failed' : '';
  return `${word}${failed}${textAt(csr, 'status.certificate') === null ? '' : ',Issued'}`;
}

export const SIGNING_REQUEST: readonly Column[] = columns(
  'Name/name | Age | SignerName | Requestor | RequestedDuration | Condition',
  name,
  age,
  text('spec.signerName', NONE),
  text('spec.username'),
  (csr) => {
    const seconds = numberAt(csr, 'spec.expirationSeconds');
    return seconds === 0 ? NONE : humanDuration(seconds * 1000);
  },
  conditionOf,
);

export const WEBHOOKS: readonly Column[] = columns(
  'Name/name | Webhooks:integer | Age',
  name,
  length('webhooks'),
  age,
);
