import type { AwsRefusal } from './contract.ts';

/** What AWS refuses with, thrown from within a call and answered by the cloud. */
export class RefusedError extends Error {
  readonly refusal: AwsRefusal;

  constructor(refusal: AwsRefusal) {
    super(`${refusal.code}: ${refusal.message}`);
    this.name = 'RefusedError';
    this.refusal = refusal;
  }
}

/** A refusal with the status that most of them have. */
export function refused(code: string, message: string, status = 400): RefusedError {
  return new RefusedError({ code, message, status });
}

/** @returns what the task was refused with, null when it was done; any other throw goes on */
export function refusalOf(task: () => void): AwsRefusal | null {
  try {
    task();
    return null;
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal;
    throw error;
  }
}
