import type { Dialect } from '../written/dialect.ts';

/** A quote begins with the document and the field that it is from. */
const FIELD = /^(\w+Configuration) ([a-z][\w.[\]-]*)/;

/** Answers at the places of kubeadm's documents. */
export const KUBEADM_DIALECT: Dialect = {
  source: 'kubeadm',
  say: (text) => text,
  place: (address, excerpt) => {
    const [, kind, field] = FIELD.exec(excerpt) ?? [];
    return kind === undefined ? address : `${kind}.${field ?? ''}`;
  },
  collect: (command) => command,
};
