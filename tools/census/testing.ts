/** A program of two releases, whose source is in `fixture`. */
import { join } from 'node:path';
import type { FolderOf } from './known-messages.ts';
import type { Program } from './programs.ts';

export const FIXTURE: Program = {
  name: 'agent',
  sources: ['kubelet'],
  releases: ['1.0', '1.1'].map((version) => ({
    version,
    modules: [{ path: 'example.com/agent', version, parts: ['agent'] }],
  })),
};

/** The folder of a release of the fixture. */
export const fixtureFolder: FolderOf = async ({ version }) =>
  join(import.meta.dirname, 'fixture', version);
