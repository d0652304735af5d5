import { type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { parsedMs } from '../objects/stamp.ts';
import {
  type ActorOptions,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';

/** The certificate cleaner looks this often. */
const PERIOD_MS = 10 * 60_000;
/** How long requests stay: approved or denied ones an hour, pending ones a day. */
const DECIDED_MS = 3600_000;
const PENDING_MS = 24 * 3600_000;

/** Removes certificate requests that are over. */
export function startCertificateCleaner(world: World, options: ActorOptions = {}): Running {
  const name = 'certificate-controller-cleaner';
  const actor = createActor(world, name, controllerUser(name), options);
  const requests = cacheOf(actor, 'CertificateSigningRequest', nameOf);
  actor.every(PERIOD_MS, () => {
    const nowMs = actor.kernel.nowMs();
    for (const request of requests.values())
      if (isOver(request, nowMs)) actor.client.delete('CertificateSigningRequest', nameOf(request));
  });
  return actor;
}

export function isOver(request: JsonObject, nowMs: number): boolean {
  const [decided] = listAt(request, 'status.conditions');
  if (decided === undefined) {
    const createdMs = parsedMs(textAt(request, 'metadata.creationTimestamp'));
    return createdMs !== null && nowMs > createdMs + PENDING_MS;
  }
  const sinceMs = parsedMs(textAt(decided, 'lastUpdateTime'));
  return sinceMs !== null && nowMs > sinceMs + DECIDED_MS;
}
