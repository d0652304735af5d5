/** The manifest by which krew, the package manager of kubectl, installs the executables. */
import { dump } from 'js-yaml';
import { version } from '../package-manifest.ts';
import type { Platform } from './platforms.ts';

export interface Archive {
  readonly platform: Platform;
  readonly name: string;
  /** Of the archive, as hexadecimal digits. */
  readonly sha256: string;
}

/** The completion is no program of krew's: docs/program.md shows where to link it. */
const FILES = ['rollcall', 'kubectl_complete-rollcall', 'LICENSE', 'THIRD-PARTY-LICENSES.txt'];

/** @param releases URL below which each version has a folder of archives, `v0.1.0` */
export function krewManifest(archives: readonly Archive[], releases: string): string {
  const tag = `v${version()}`;
  const manifest = {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'rollcall' },
    spec: {
      version: tag,
      homepage: releases.replace(/\/releases\/.*$/, ''),
      shortDescription: 'Says why an AWS machine is not a usable node',
      description: [
        'Reports every AWS machine that should be a node against every Node, names the cause',
        'where one is not usable, and the command that fixes it. It only reads unless asked.',
      ].join('\n'),
      platforms: archives.map(({ platform: { os, arch }, name, sha256 }) => ({
        selector: { matchLabels: { os, arch } },
        uri: `${releases.replace(/\/$/, '')}/${tag}/${name}`,
        sha256,
        files: FILES.map((from) => ({
          from,
          to: '.',
        })),
        bin: 'rollcall',
      })),
    },
  };
  return dump(manifest, { lineWidth: 120 });
}
