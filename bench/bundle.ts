import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { CorpusRecipe } from './corpus.ts';
import { corpusBlocks } from './corpus.ts';
import type { LogLine } from './log-lines.ts';
import { PROGRAMS } from './log-lines.ts';

/** Members of the tarball that the EKS log collector makes, by their share of its bytes. */
const MEMBERS: readonly (readonly [string, LogLine, number])[] = [
  ['kubelet/kubelet.log', PROGRAMS.kubelet, 0.45],
  ['containerd/containerd-log.txt', PROGRAMS.containerd, 0.2],
  ['var_log/aws-routed-eni/ipamd.log', PROGRAMS.ipamd, 0.2],
  ['var_log/messages', PROGRAMS.syslog, 0.1],
  ['var_log/cloud-init.log', PROGRAMS.cloudInit, 0.03],
  ['var_log/kube-system_aws-node-x7k2p/aws-node/0.log', PROGRAMS.awsNode, 0.02],
];

/** A file of an archive, made while it is written. */
export interface Member {
  readonly name: string;
  readonly size: number;
  /** Of at least that size together. */
  readonly blocks: Iterable<Buffer>;
}

type Entry = ReturnType<ReturnType<typeof pack>['entry']>;

async function fill(entry: Entry, { size, blocks }: Member): Promise<void> {
  let left = size;
  for (const block of blocks) {
    const part = block.subarray(0, left);
    left -= part.length;
    if (!entry.write(part))
      await new Promise<void>((resolve) => entry.once('drain', () => resolve()));
    if (left === 0) break;
  }
  entry.end(null);
}

/** Writes a tar.gz of these files. */
export async function writeArchive(path: string, members: Iterable<Member>): Promise<void> {
  const tar = pack();
  const written = pipeline(tar, createGzip({ level: 6 }), createWriteStream(path));
  for (const member of members)
    await fill(tar.entry({ name: member.name, size: member.size }), member);
  tar.finalize();
  await written;
}

/** Writes a tar.gz as the EKS log collector names and divides it, of `bytes` bytes unpacked. */
export async function writeBundle(
  path: string,
  bytes: number,
  recipe: Omit<CorpusRecipe, 'mix'>,
): Promise<void> {
  const members = MEMBERS.map(([name, program, share]): Member => {
    const size = Math.floor(bytes * share);
    return { name, size, blocks: corpusBlocks(size, { ...recipe, mix: [program] }) };
  });
  await writeArchive(path, members);
}
