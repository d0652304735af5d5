import { isObject, type JsonObject, textAt } from '../../evidence/json.ts';
import type { KubeWatchEvent } from '../../ports/kube-api.ts';
import { malformed } from './answer.ts';
import type { RequestName } from './request-name.ts';
import { statusFailure } from './status-failure.ts';

export interface WatchScene {
  readonly server: string;
  readonly name: RequestName;
  /** Wall clock of this machine, ms since the Unix epoch. */
  readonly nowMs: number;
}

const TYPES = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/**
 * One line of a watch.
 * @throws PortError `malformed` for what is no event, else as the Status in an ERROR event says
 */
export function watchEvent(line: string, scene: WatchScene): KubeWatchEvent {
  const event = parsed(line);
  const object = event?.['object'];
  const type = textAt(event ?? {}, 'type');
  if (!isObject(object)) throw malformed(scene.server, scene.name, 'half an event');
  if (type === 'ERROR') throw errorEvent(object, scene);
  const known = TYPES.find((one) => one === type);
  const { metadata } = object;
  const resourceVersion = textAt(metadata, 'resourceVersion');
  if (known === undefined || resourceVersion === null || !isObject(metadata))
    throw malformed(scene.server, scene.name, 'an event without a known type and a version');
  return { type: known, object, resourceVersion, endsInitialEvents: endsInitial(known, metadata) };
}

/** The name of the annotation has dots, which a path would split. */
function endsInitial(type: KubeWatchEvent['type'], metadata: JsonObject): boolean {
  const { annotations } = metadata;
  return type === 'BOOKMARK' && isObject(annotations) && annotations[INITIAL_EVENTS_END] === 'true';
}

function parsed(line: string): JsonObject | null {
  try {
    const value = JSON.parse(line) as JsonObject;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function errorEvent(object: JsonObject, { server, name, nowMs }: WatchScene): Error {
  return statusFailure({
    server,
    name,
    write: null,
    status: Number(textAt(object, 'code') ?? 500),
    headers: {},
    text: JSON.stringify({ kind: 'Status', ...object }),
    refusal: {
      what: 'the credential of the watch',
      remedy: 'see whose it is: kubectl auth whoami',
    },
    nowMs,
  });
}
