import { fateOfUnknownName } from '../../domain/naming/acceptance.ts';
import { controllerReleaseIn, isCloudController } from '../../domain/naming/seen-names.ts';
import { isAtLeast } from '../../domain/version.ts';
import type { LifecycleFacts } from './facts.ts';
import type { CloudBehavior, CloudReason, Deleter } from './happening.ts';
import type { NodeMemory } from './memory.ts';

/** What shows why the cloud controller deleted a Node. */
export interface CloudSigns {
  /** EC2 lists the instance as ended. */
  readonly isEnded: boolean;
  /** EC2 lists it as running. */
  readonly isRunning: boolean;
  /** A complete list of EC2 lacks it. */
  readonly isUnlisted: boolean;
  /** `apiVersion` of the Node in its Event; null where no Event was seen. */
  readonly apiVersion: string | null;
  readonly release: string | null;
}

const RELEASES = new WeakMap<LifecycleFacts['pods']['items'], string | null>();

/** Release of the cloud controller by the images of its pods; null when none shows it. */
export function cloudRelease({ pods: { items } }: LifecycleFacts): string | null {
  const known = RELEASES.get(items);
  if (known !== undefined) return known;
  const release = releaseIn(items);
  RELEASES.set(items, release);
  return release;
}

function releaseIn(pods: LifecycleFacts['pods']['items']): string | null {
  const own = pods.filter(({ value }) => isCloudController(value.name));
  const images = own.flatMap(({ value }) =>
    (value.spec?.containers ?? []).map((container) => container.image ?? ''),
  );
  // While it is rolled out there are two releases; which of them leads is not seen.
  const releases = new Set(images.map((image) => controllerReleaseIn([image])));
  const [release = null, ...others] = releases;
  return others.length === 0 ? release : null;
}

/** Which of the three behaviors a release has; null for one that was not measured. */
export function behaviorOf(release: string | null): CloudBehavior | null {
  const fate = fateOfUnknownName(release);
  if (fate === 'kept-uninitialised') return 'keeps-from-1.30-to-1.34';
  if (fate !== 'deleted-while-not-ready') return null;
  return isAtLeast(release, '1.30.0') === true ? 'deletes-since-1.37' : 'deletes-up-to-1.29';
}

/**
 * The behavior by a deletion after a failed look-up alone: one that happened is not of a release that
 * keeps such Nodes, and since late 2025 the Event names the apiVersion of its Node.
 */
function shownBehavior({ apiVersion, release }: CloudSigns): CloudBehavior | null {
  const known = behaviorOf(release);
  if (known !== null || apiVersion === null) return known;
  return apiVersion === '' ? 'deletes-up-to-1.29' : 'deletes-since-1.37';
}

function reasonOf(node: NodeMemory, signs: CloudSigns): CloudReason {
  if (signs.isEnded) return 'instance-terminated';
  if (node.hasProviderId === true)
    return signs.isRunning || signs.isUnlisted ? 'instance-missing' : 'unknown';
  if (node.hasProviderId === null) return 'unknown';
  const keeps = behaviorOf(signs.release) === 'keeps-from-1.30-to-1.34';
  return keeps ? 'unknown' : 'name-lookup-failed';
}

/** The cloud controller as a deleter, with why it deleted and how it treats unknown names. */
export function cloudDeleter(node: NodeMemory, signs: CloudSigns): Deleter {
  const reason = reasonOf(node, signs);
  const behavior =
    reason === 'name-lookup-failed' ? shownBehavior(signs) : behaviorOf(signs.release);
  return { kind: 'cloud-node-lifecycle', reason, behavior, user: null };
}
