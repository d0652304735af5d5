import type { KubeResource } from '../../ports/kube-api.ts';

/** A request in the words of RBAC: `list nodes`, `get pods/log`, `watch leases.coordination.k8s.io`. */
export interface RequestName {
  readonly verb: string;
  /** `plural[/subresource][.group]`, or the path where there is no resource. */
  readonly resource: string;
}

export function resourceName({ plural, group }: KubeResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function textOf({ verb, resource }: RequestName): string {
  return `${verb} ${resource}`;
}

/** `patch nodes/status`, `delete leases.coordination.k8s.io`. */
export function partName(verb: string, resource: KubeResource, subresource?: string): RequestName {
  const { plural } = resource;
  if (subresource === undefined) return { verb, resource: resourceName(resource) };
  return { verb, resource: resourceName({ ...resource, plural: `${plural}/${subresource}` }) };
}
