import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { isTerminating, nameOf, namespaceOf } from '../objects/meta.ts';
import {
  type Actor,
  type ActorOptions,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue } from '../running/work-queue.ts';

const ROOT_CA = 'kube-root-ca.crt';
const DEFAULT_ACCOUNT = 'default';
/** What stands for the certificate of the cluster's authority. */
const CERTIFICATE = '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n';

/** The service account and root CA controllers: what every namespace is given. */
export function startServiceAccounts(world: World, options: ActorOptions = {}): Running {
  const name = 'service-account-controller';
  const actor = createActor(world, name, controllerUser(name), options);
  const queue = createSyncQueue(actor, (namespace) => furnish(actor, namespace));
  actor.follow('Namespace', (type, object) => {
    if (type === 'ADDED' && !isTerminating(object)) queue.add(nameOf(object));
  });
  actor.follow('ServiceAccount', (type, object) => {
    if (type === 'DELETED' && nameOf(object) === DEFAULT_ACCOUNT) queue.add(namespaceOf(object));
  });
  return actor;
}

/** A creation that finds it there already is refused, which is well. */
function furnish({ client }: Actor, namespace: string): void {
  const found = client.get('Namespace', namespace);
  if (found === null || textAt(found, 'metadata.deletionTimestamp') !== null) return;
  const make = (kind: string, name: string, more: JsonObject): void => {
    client.create({ apiVersion: 'v1', kind, metadata: { name, namespace }, ...more });
  };
  make('ServiceAccount', DEFAULT_ACCOUNT, {});
  make('ConfigMap', ROOT_CA, { data: { 'ca.crt': CERTIFICATE } });
}
