import type { PreflightDocument } from '../../src/diagnosis/preflight.ts';
import { preflight } from '../../src/engine/preflight.ts';

/** What one document, given as its text or as a value, comes to. */
export function judgedDocument(document: unknown, locator = 'file'): Promise<PreflightDocument> {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return preflight([{ locator, text }]);
}

/** What a document says of one cause, over all of its groups. */
export function verdictOn(
  { subjects }: PreflightDocument,
  cause: string,
): 'found' | 'clear' | 'unknown' {
  if (subjects.some(({ findings }) => findings.some((one) => one.cause === cause))) return 'found';
  return subjects.every(({ clear }) => clear.includes(cause)) ? 'clear' : 'unknown';
}

export function causesIn({ subjects }: PreflightDocument): readonly string[] {
  return [...new Set(subjects.flatMap(({ findings }) => findings.map(({ cause }) => cause)))];
}
