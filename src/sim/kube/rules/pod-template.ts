import { isObject, type Json, type JsonObject } from '../../../evidence/json.ts';
import { changedItems, changedPart, filled, textIn } from './fields.ts';

/** Specs that came out of it: they lack nothing. */
const WHOLE = new WeakSet<JsonObject>();

/** Defaults of a PodSpec, as core/v1 sets them in pods and templates (pkg/apis/core/v1/defaults). */
export function podSpecDefaults(spec: JsonObject): JsonObject {
  if (WHOLE.has(spec)) return spec;
  const whole = madeWhole(spec);
  WHOLE.add(whole);
  return whole;
}

function madeWhole(spec: JsonObject): JsonObject {
  const named = serviceAccountBothWays(filled(spec, SPEC));
  const withContainers = ['containers', 'initContainers', 'ephemeralContainers'].reduce(
    (all, key) => changedItems(all, key, (one) => containerDefaults(one, spec)),
    named,
  );
  return changedItems(withContainers, 'volumes', volumeDefaults);
}

const SPEC: JsonObject = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};

/** `serviceAccount` is the older name of `serviceAccountName`. */
function serviceAccountBothWays(spec: JsonObject): JsonObject {
  const name = textIn(spec, 'serviceAccountName') || textIn(spec, 'serviceAccount');
  if (name === '' || (spec['serviceAccountName'] === name && spec['serviceAccount'] === name))
    return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

const CONTAINER: JsonObject = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};

function containerDefaults(container: JsonObject, spec: JsonObject): JsonObject {
  const image = textIn(container, 'image');
  const imagePullPolicy = isLatest(image) ? 'Always' : 'IfNotPresent';
  const made = filled(container, { ...CONTAINER, imagePullPolicy });
  const isHost = spec['hostNetwork'] === true;
  const ported = changedItems(made, 'ports', (port) => portDefaults(port, isHost));
  const probed = ['livenessProbe', 'readinessProbe', 'startupProbe'].reduce(
    (all, key) => changedPart(all, key, probeDefaults),
    ported,
  );
  return changedItems(changedPart(probed, 'resources', requestsOfLimits), 'env', envDefaults);
}

function isLatest(image: string): boolean {
  if (image.includes('@')) return false;
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest';
}

function portDefaults(port: JsonObject, isHost: boolean): JsonObject {
  const { containerPort = 0 } = port;
  return filled(port, { protocol: 'TCP', ...(isHost ? { hostPort: containerPort } : {}) });
}

const PROBE: JsonObject = {
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
};

function probeDefaults(probe: JsonObject): JsonObject {
  const http = (get: JsonObject): JsonObject => filled(get, { path: '/', scheme: 'HTTP' });
  return changedPart(filled(probe, PROBE), 'httpGet', http);
}

/** What is limited and not requested is requested as much. */
function requestsOfLimits(resources: JsonObject): JsonObject {
  const { limits, requests } = resources;
  if (!isObject(limits)) return resources;
  const own: JsonObject = isObject(requests) ? requests : {};
  const all = filled(own, limits);
  return all === own ? resources : { ...resources, requests: all };
}

function envDefaults(env: JsonObject): JsonObject {
  return changedPart(env, 'valueFrom', (from) =>
    changedPart(from, 'fieldRef', (field) => filled(field, { apiVersion: 'v1' })),
  );
}

const MODE = { defaultMode: 420 };

function volumeDefaults(volume: JsonObject): JsonObject {
  const sources: Readonly<Record<string, JsonObject>> = {
    secret: MODE,
    configMap: MODE,
    downwardAPI: MODE,
    projected: MODE,
    hostPath: { type: '' },
  };
  const known = Object.keys(sources).find((key) => isObject(volume[key]));
  if (known !== undefined)
    return changedPart(volume, known, (source) => filled(source, sources[known] ?? {}));
  return Object.keys(volume).length > 1 ? volume : { ...volume, emptyDir: {} };
}

/** The template of a workload. */
export function templateDefaults(spec: JsonObject): JsonObject {
  return changedPart(spec, 'template', (template) =>
    changedPart(template, 'spec', podSpecDefaults),
  );
}

/** Guaranteed, Burstable or BestEffort, by requests and limits of all containers. */
export function qosClassOf(spec: JsonObject): string {
  const containers = ['containers', 'initContainers'].flatMap((key) => {
    const list = spec[key];
    return Array.isArray(list) ? (list as readonly Json[]) : [];
  });
  const resources = containers.map((one) => resourcesOf(one));
  if (resources.every(({ requests, limits }) => isNone(requests) && isNone(limits)))
    return 'BestEffort';
  return resources.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

interface Resources {
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

function resourcesOf(container: Json): Resources {
  const own = isObject(container) ? container['resources'] : undefined;
  const part = (key: string): JsonObject => {
    const found = isObject(own) ? own[key] : undefined;
    return isObject(found) ? found : {};
  };
  return { requests: part('requests'), limits: part('limits') };
}

function isNone(amounts: JsonObject): boolean {
  return !Object.keys(amounts).some((key) => key === 'cpu' || key === 'memory');
}

function isGuaranteed({ requests, limits }: Resources): boolean {
  return ['cpu', 'memory'].every(
    (key) => limits[key] !== undefined && (requests[key] ?? limits[key]) === limits[key],
  );
}
