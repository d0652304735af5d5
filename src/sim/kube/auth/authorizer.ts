import type { ApiRequest, ApiUser } from '../contract.ts';
import { StatusError } from '../refusal.ts';
import type { Store } from '../store.ts';
import type { Attributes, Decision } from './attributes.ts';
import { nodeMay } from './node-authorizer.ts';
import { nodeNameOf } from './node-name.ts';
import { nodeReason } from './node-reasons.ts';
import { Rbac } from './rbac.ts';

/** The modes Node and RBAC, in this order, behind `system:masters`. */
export class Authorizer {
  readonly #store: Store;
  readonly #rbac: Rbac;
  readonly #isOn: boolean;

  constructor(store: Store, isOn: boolean) {
    this.#store = store;
    this.#rbac = new Rbac(store);
    this.#isOn = isOn;
  }

  decide(user: ApiUser, asked: Attributes): Decision {
    if (!this.#isOn || user.groups.includes('system:masters'))
      return { isAllowed: true, reason: '' };
    const nodeName = nodeNameOf(user);
    if (nodeName !== null && asked.path === null && nodeMay(this.#store, nodeName, asked))
      return { isAllowed: true, reason: '' };
    const isAllowed = this.#rbac.allows(user, asked);
    return { isAllowed, reason: isAllowed || nodeName === null ? '' : nodeReason(nodeName, asked) };
  }

  /** @throws Refusal 403 */
  assertAllowed(request: ApiRequest): void {
    if (!this.#isOn || request.user.groups.includes('system:masters')) return;
    const asked = attributesOfRequest(request);
    const { isAllowed, reason } = this.decide(request.user, asked);
    if (!isAllowed) throw forbiddenTo(request.user, asked, reason);
  }
}

function attributesOfRequest({ verb, path, query }: ApiRequest): Attributes {
  const { group, plural, namespace, name, subresource } = path;
  const own = plural === 'namespaces' && group === '' ? name : namespace;
  const { fieldSelector = '' } = query;
  return {
    verb,
    group,
    resource: plural,
    subresource,
    namespace: own,
    name: name ?? selectedName(fieldSelector),
    path: null,
    fieldSelector,
  };
}

/** A list or watch of one object is asked for by that object's name (apiserver requestinfo). */
function selectedName(fieldSelector: string): string | null {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(fieldSelector)?.[1] ?? null;
}

/** Worded as k8s.io/apiserver handlers/responsewriters does. */
function forbiddenTo(user: ApiUser, asked: Attributes, reason: string): StatusError {
  const { verb, group, resource, subresource, namespace, name } = asked;
  const qualified = group === '' ? resource : `${resource}.${group}`;
  const named = name === null ? qualified : `${qualified} "${name}"`;
  const whole = subresource === null ? resource : `${resource}/${subresource}`;
  const where = namespace === null ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message =
    `${named} is forbidden: User "${user.name}" cannot ${verb} resource "${whole}" in API group ` +
    `"${group}" ${where}${reason === '' ? '' : `: ${reason}`}`;
  const details = {
    ...(name === null ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  };
  return new StatusError({ code: 403, reason: 'Forbidden', message, details });
}
