/** Writes images as an OCI layout: blobs by their digests, and an index of the architectures. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_PATH, PROGRAM_PATH } from '../../src/manifests/node-flags.ts';
import { digestOf, type Layer } from './entries.ts';
import type { Architecture } from './packages.ts';

const OCI = 'application/vnd.oci.image';
const NOBODY = '65532:65532';
const CREATED = '1970-01-01T00:00:00Z';

export interface Image {
  readonly architecture: Architecture;
  readonly layers: readonly Layer[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

function bytesOf(document: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document));
}

class Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'blobs/sha256');
    mkdirSync(this.#folder, { recursive: true });
  }

  put(mediaType: string, bytes: Uint8Array): Descriptor {
    const digest = digestOf(bytes);
    writeFileSync(join(this.#folder, digest.slice('sha256:'.length)), bytes);
    return { mediaType, digest, size: bytes.length };
  }
}

function configOf({ architecture, layers }: Image, version: string): object {
  return {
    created: CREATED,
    architecture,
    os: 'linux',
    ...(architecture === 'arm64' ? { variant: 'v8' } : {}),
    config: {
      User: NOBODY,
      Env: ['PATH=/usr/local/bin:/usr/sbin', 'HOME=/tmp', 'NODE_ENV=production'],
      Entrypoint: [NODE_PATH, PROGRAM_PATH],
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': 'rollcall',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: CREATED })),
  };
}

function manifestOf(blobs: Blobs, image: Image, version: string): Descriptor {
  const config = blobs.put(`${OCI}.config.v1+json`, bytesOf(configOf(image, version)));
  const layers = image.layers.map(({ bytes }) => blobs.put(`${OCI}.layer.v1.tar+gzip`, bytes));
  const mediaType = `${OCI}.manifest.v1+json`;
  return blobs.put(mediaType, bytesOf({ schemaVersion: 2, mediaType, config, layers }));
}

function platformOf({ architecture }: Image): object {
  return { os: 'linux', architecture, ...(architecture === 'arm64' ? { variant: 'v8' } : {}) };
}

/** @returns the digest by which the image of all architectures is pulled */
export function writeLayout(folder: string, images: readonly Image[], version: string): string {
  const blobs = new Blobs(folder);
  const manifests = images.map((image) => ({
    ...manifestOf(blobs, image, version),
    platform: platformOf(image),
  }));
  const mediaType = `${OCI}.index.v1+json`;
  const index = blobs.put(mediaType, bytesOf({ schemaVersion: 2, mediaType, manifests }));
  const name = { 'org.opencontainers.image.ref.name': version };
  const top = { schemaVersion: 2, mediaType, manifests: [{ ...index, annotations: name }] };
  writeFileSync(join(folder, 'index.json'), bytesOf(top));
  writeFileSync(join(folder, 'oci-layout'), bytesOf({ imageLayoutVersion: '1.0.0' }));
  return index.digest;
}
