import { open, rename } from 'node:fs/promises';
import { portErrorOf } from './failure.ts';

/** Replaces a file at once, so that whoever reads it sees the old text or the new one whole. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w', 0o644);
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    throw portErrorOf(path, error);
  }
}
