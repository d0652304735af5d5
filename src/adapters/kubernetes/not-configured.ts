import { PortError } from '../../ports/port-error.ts';
import { codeOf } from './environment.ts';
import { quoted, reasonOf } from './words.ts';

export function notConfigured(message: string, cause?: unknown): PortError {
  return new PortError({ failure: 'not-configured', message, cause });
}

/** @param subject the file with its role: `The client key /a/b of user x` */
export function unreadable(subject: string, path: string, error: unknown): Error {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM')
    return notConfigured(
      `${subject} may not be read by this user; own it: sudo chown "$USER" ${quoted(path)}`,
      error,
    );
  if (code === 'EISDIR')
    return notConfigured(`${subject} is a folder; look into it: ls -l ${quoted(path)}`, error);
  const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${reasonOf(error)})`;
  return notConfigured(`${subject} ${reason}; look for it: ls -l ${quoted(path)}`, error);
}
