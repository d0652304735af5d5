import { type JsonObject, textAt } from '../../../evidence/json.ts';
import type { ActionObject } from '../../../ports/action.ts';
import type { KubeApi, KubeResource } from '../../../ports/kube-api.ts';
import { PortError } from '../../../ports/port-error.ts';

export const CONFIG_MAPS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  isNamespaced: true,
};

const PLACE = { namespace: 'kube-system', name: 'aws-auth' };
/** As people call it. */
export const AWS_AUTH = `ConfigMap ${PLACE.namespace}/${PLACE.name}`;

/**
 * The ConfigMap as it is now; null only where the server says that there is none.
 *
 * @throws PortError where it cannot be read, which is never taken for its absence
 */
export async function readAwsAuth(kube: KubeApi): Promise<JsonObject | null> {
  try {
    return await kube.get(CONFIG_MAPS, PLACE);
  } catch (error) {
    if (error instanceof PortError && error.failure === 'not-found') return null;
    throw error;
  }
}

/** The ConfigMap as the object of an action. */
export function awsAuthObject(configMap: JsonObject | null): ActionObject {
  const uid = textAt(configMap ?? undefined, 'metadata.uid');
  const resourceVersion = textAt(configMap ?? undefined, 'metadata.resourceVersion');
  const seen = uid === null || resourceVersion === null ? null : { uid, resourceVersion };
  return { resource: CONFIG_MAPS, ...PLACE, seen };
}

/** A ConfigMap of this map alone. */
export function awsAuthNamed(mapRoles: string): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...PLACE }, data: { mapRoles } };
}
