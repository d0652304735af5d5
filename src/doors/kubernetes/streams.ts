import type { ServerResponse } from 'node:http';
import type { Site } from './site.ts';
import { tooManyRequests } from './status.ts';

/** An answer that goes on until either side ends it. */
export interface Stream {
  /** Ends the answer. */
  end(): void;
  /** Gives the place back without ending the answer. */
  release(): void;
}

/** @throws DoorRefusal 429 when too many are open */
export function openStream(site: Site, response: ServerResponse, onClose: () => void): Stream {
  if (site.streams.size >= site.limits.streamsMax) throw tooManyRequests();
  const end = (): void => {
    if (!response.writableEnded) response.end();
  };
  site.streams.add(end);
  const release = (): void => {
    site.streams.delete(end);
    response.removeListener('close', close);
  };
  const close = (): void => {
    release();
    onClose();
  };
  response.on('close', close);
  return { end, release };
}
