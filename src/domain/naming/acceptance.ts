import { instanceIdIn } from '../../evidence/names.ts';
import { isAtLeast } from '../version.ts';
import { shown } from '../words.ts';
import { privateDnsName } from './ec2-names.ts';
import type { NamingInput, Reason } from './input.ts';
import { SOURCE } from './sources.ts';

/** What becomes of the Node at the hands of the cloud controller. */
export type Outcome =
  | 'initialised'
  /** Deleted at the next look, every 5 s, while it is not Ready; never while it is. */
  | 'deleted-while-not-ready'
  /** Stays with the taint `node.cloudprovider.kubernetes.io/uninitialized`. */
  | 'kept-uninitialised'
  | 'nobody-asks'
  | 'unknown';

export interface Acceptance {
  readonly state: 'accepted' | 'refused' | 'another-instance' | 'nobody-asks' | 'unknown';
  readonly outcome: Outcome;
  readonly because: readonly Reason[];
  readonly provided: readonly string[];
}

const TAG = 'the instance has the cluster tag, which the look-up by name needs';

/** Images whose bootstrap writes `providerID: aws:///ZONE/INSTANCE` for the kubelet. */
const SETS_PROVIDER_ID: ReadonlySet<string> = new Set(['al2023', 'bottlerocket', 'openshift4']);

/** The instance that `spec.providerID` names; null without one, undefined when that is not known. */
function providerInstance(input: NamingInput): string | null | undefined {
  if (input.providerId !== undefined)
    return input.providerId === null ? null : instanceIdIn(input.providerId);
  const isSet =
    (input.image !== null && SETS_PROVIDER_ID.has(input.image)) ||
    (input.image === 'al2' && isAtLeast(input.kubeletVersion, '1.26.0') === true);
  return isSet ? input.instanceId : undefined;
}

function verdict(
  state: Acceptance['state'],
  outcome: Outcome,
  reasons: readonly (readonly [string, string])[],
  provided: readonly string[] = [],
): Acceptance {
  return { state, outcome, because: reasons.map(([text, source]) => ({ text, source })), provided };
}

const DECIDES = 'The cloud controller cannot find an instance with that name';

/** What happens to a Node that no instance answers to, by release of the cloud controller. */
function refusedBy(version: string | null): Acceptance {
  if (version === null || isAtLeast(version, '0.0.0') === null)
    return verdict('refused', 'unknown', [
      [`${DECIDES}; what it does next depends on its version, which is unknown.`, SOURCE.ccmV2],
    ]);
  const reasons = (text: string, source: string) => [[`${DECIDES}; ${text}`, source]] as const;
  if (isAtLeast(version, '1.30.0') === false) {
    const text = 'up to 1.29 it deletes the Node within seconds while the Node is not Ready.';
    return verdict('refused', 'deleted-while-not-ready', reasons(text, SOURCE.ccmLifecycle));
  }
  if (isAtLeast(version, '1.34.4') === false) {
    const text = 'from 1.30 to 1.34.3 it keeps the Node and never removes its taint.';
    return verdict('refused', 'kept-uninitialised', reasons(text, SOURCE.ccmV2));
  }
  if (isAtLeast(version, '1.37.0') === true) {
    const text = 'since 1.37.0 it deletes the Node again while the Node is not Ready.';
    return verdict('refused', 'deleted-while-not-ready', reasons(text, SOURCE.ccm137));
  }
  const text = '1.34.3 keeps the Node and 1.37.0 deletes it; versions between are not measured.';
  return verdict('refused', 'unknown', reasons(text, SOURCE.ccm137));
}

/**
 * What a cloud controller of this release does with a Node whose name EC2 does not know, and which
 * has no providerID; `unknown` for releases that were not measured, and without one.
 */
export function fateOfUnknownName(release: string | null): Outcome {
  return refusedBy(release).outcome;
}

/** The look-up by EC2's private DNS name, the only one of the in-process provider. */
function byName(name: string, input: NamingInput, refused: Acceptance, source: string): Acceptance {
  const found = privateDnsName(input);
  if (found.state === 'unknown')
    return verdict('unknown', 'unknown', [
      ['The instance is looked up by its private DNS name, which was not seen.', source],
    ]);
  if (found.state === 'none' || found.name !== name) {
    const has = found.state === 'none' ? 'EC2 has none' : `EC2 has ${shown(found.name)}`;
    const text = `The instance is looked up by its private DNS name, and ${has}.`;
    return { ...refused, because: [{ text, source }, ...refused.because] };
  }
  if (input.clusterTag === false) {
    const text = 'The instance lacks the cluster tag, so the look-up by name skips it.';
    return { ...refused, because: [{ text, source }, ...refused.because] };
  }
  const text = 'The name is the private DNS name of the instance.';
  const provided = input.clusterTag === true ? [] : [TAG];
  return verdict('accepted', 'initialised', [[text, source]], provided);
}

function sameInstance(found: string, input: NamingInput, how: string, source: string): Acceptance {
  if (input.instanceId === undefined)
    return verdict('unknown', 'unknown', [
      [`${how} names ${shown(found)}; the id of this instance is unknown.`, source],
    ]);
  if (found === input.instanceId)
    return verdict('accepted', 'initialised', [[`${how} names this instance.`, source]]);
  const text = `${how} names ${shown(found)}, not ${shown(input.instanceId)}: the Node takes the addresses, zone and lifecycle of the other instance.`;
  return verdict('another-instance', 'unknown', [[text, source]]);
}

/** A name that begins with `i-` is an instance id up to its first dot. */
function byIdInName(name: string, input: NamingInput, version: string | null): Acceptance {
  const id = name.split('.')[0] ?? name;
  const needs = name === id ? '1.22.0' : '1.27.2';
  const can = isAtLeast(version, needs);
  const how = 'The name, an instance id,';
  if (can === true) return sameInstance(id, input, how, SOURCE.ccmLookup);
  const text = `Names that are instance ids${name === id ? '' : ' with a domain'} need cloud controller ${needs}`;
  if (can === null)
    return verdict('unknown', 'unknown', [
      [`${text}; its version is unknown.`, SOURCE.ccmVersions],
    ]);
  const then = 'it calls the id malformed, which keeps the Node and its taint';
  if (name !== id)
    return verdict('refused', 'kept-uninitialised', [[`${text}; ${then}.`, SOURCE.ccmVersions]]);
  return byName(name, input, refusedBy(version), SOURCE.ccmLookup);
}

/** Release from which `spec.providerID` of the Node is looked at; 1.23 had it in a later patch. */
function readsProviderId(version: string | null): boolean | null {
  if (isAtLeast(version, '1.24.2') === true) return true;
  if (isAtLeast(version, '1.24.0') === true) return false;
  return isAtLeast(version, '1.23.0') === false ? false : null;
}

function externalAcceptance(name: string, input: NamingInput, version: string | null): Acceptance {
  if (name.startsWith('i-')) return byIdInName(name, input, version);
  const provider = providerInstance(input);
  const lookedUp = byName(name, input, refusedBy(version), SOURCE.ccmLookup);
  if (provider === null) return lookedUp;
  const reads = readsProviderId(version);
  if (provider !== undefined && reads === true)
    return sameInstance(provider, input, 'spec.providerID', SOURCE.ccmLookup);
  if (lookedUp.state === 'accepted' || (provider === undefined && lookedUp.state === 'unknown'))
    return lookedUp;
  if (reads === false) return lookedUp;
  const text =
    provider === undefined
      ? 'Unknown whether the kubelet sets spec.providerID, which takes precedence.'
      : 'spec.providerID takes precedence since cloud controller 1.24.2; its version is unknown or 1.23.';
  const [why] = lookedUp.because;
  const also = why === undefined ? [] : [[why.text, why.source] as const];
  return verdict('unknown', 'unknown', [...also, [text, SOURCE.ccmVersions]]);
}

/** What the in-process controller does with a Node that it cannot find by name. */
const IN_TREE_REFUSED = verdict('refused', 'deleted-while-not-ready', [
  [
    `${DECIDES}; the controller deletes the Node within seconds while the Node is not Ready.`,
    SOURCE.ccmLifecycle,
  ],
]);

/**
 * Whether the cloud controller will take the Node of that name for this instance, and what it
 * does otherwise. A Ready Node is never looked up, hence never deleted.
 */
export function acceptanceOf(name: string, input: NamingInput): Acceptance {
  const provider = input.cloudProvider;
  if (provider === null)
    return verdict('unknown', 'unknown', [
      ['The cloud provider of the cluster is unknown.', SOURCE.ccmNode],
    ]);
  if (provider.kind === 'none')
    return verdict('nobody-asks', 'nobody-asks', [
      ['Without a cloud provider nobody compares the name with EC2.', SOURCE.ccmNode],
    ]);
  if (provider.kind === 'in-tree') return byName(name, input, IN_TREE_REFUSED, SOURCE.inTree);
  return externalAcceptance(name, input, provider.controllerVersion);
}
