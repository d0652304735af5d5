import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, statfs } from 'node:fs/promises';
import type { HostSpace } from '../../ports/host.ts';
import { PortError } from '../../ports/port-error.ts';
import { portErrorOf } from './failure.ts';
import { createTail } from './tail.ts';

const CHUNK_BYTES = 64 * 1024;
/** Files of /proc and /sys have no size; more than this of them is never read. */
const UNSIZED_BYTES_MAX = 16 * 1024 * 1024;

/** The last `bytesMax` bytes of a regular file; links are followed, a pipe or device is refused. */
export async function readTail(path: string, bytesMax: number): Promise<Uint8Array> {
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  const file = await named(path, open(path, constants.O_RDONLY | constants.O_NONBLOCK));
  try {
    const { size, isRegular } = await named(path, sizeOf(file));
    if (!isRegular) {
      const message = `${path} is not a regular file and was not read.`;
      throw new PortError({ failure: 'invalid', message });
    }
    const from = Math.max(0, size - bytesMax);
    return await named(
      path,
      readFrom(file, from, size === 0 ? UNSIZED_BYTES_MAX : bytesMax, bytesMax),
    );
  } finally {
    await file.close();
  }
}

async function sizeOf(file: FileHandle): Promise<{ size: number; isRegular: boolean }> {
  const stats = await file.stat();
  return { size: stats.size, isRegular: stats.isFile() };
}

async function readFrom(
  file: FileHandle,
  from: number,
  readMax: number,
  keepMax: number,
): Promise<Uint8Array> {
  const tail = createTail(keepMax);
  let done = 0;
  while (done < readMax) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, readMax - done));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, from + done);
    if (bytesRead === 0) break;
    tail.push(chunk.subarray(0, bytesRead));
    done += bytesRead;
  }
  return tail.bytes();
}

/** Names in a folder, in the order of their code units. */
export async function listNames(path: string): Promise<readonly string[]> {
  const names = await named(path, readdir(path));
  return names.toSorted();
}

/** How much of the file system that holds a path is free. */
export async function spaceOf(path: string): Promise<HostSpace> {
  const { bsize, blocks, bavail, files, ffree } = await named(path, statfs(path));
  return {
    bytesTotal: blocks * bsize,
    bytesFree: bavail * bsize,
    inodesTotal: files,
    inodesFree: ffree,
  };
}

async function named<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw portErrorOf(path, error);
  }
}
