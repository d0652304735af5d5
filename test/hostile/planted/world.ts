/** Both APIs of a cluster in which secrets are planted wherever somebody can put one. */
import type { LookClients } from '../../../src/collection/look-clients.ts';
import type { JsonObject } from '../../../src/evidence/json.ts';
import type { AwsApi } from '../../../src/ports/aws-api.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { KubeApi, KubeNodeLogPlace } from '../../../src/ports/kube-api.ts';
import { PortError } from '../../../src/ports/port-error.ts';
import { plantedAnswers } from './aws.ts';
import { type Plant, plantedLists, plantedLog } from './kubernetes.ts';

const NOW_MS = Date.parse('2026-11-22T10:00:00Z');

const clock: Clock = {
  nowMs: () => NOW_MS,
  monotonicMs: () => 0,
  sleep: async (_, signal) => {
    const { promise, reject } = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    return promise;
  },
};

/** What servers say of a refusal is as free a text as any other. */
function refusal(plant: Plant, place: string): PortError {
  const words = plant(place).map(({ text }) => text);
  return new PortError({ failure: 'denied', message: `forbidden: ${words.join(' ')}` });
}

/** Answers that are not given, so that their refusals are told. */
const REFUSED_LISTS = ['csinodes', 'eniconfigs'];
const REFUSED_CALLS = ['ec2:DescribeVpcEndpoints', 'iam:GetInstanceProfile'];

/** Folders with one file each, and a line of its own in every file and journal. */
function plantedNodeLog(plant: Plant, node: string, place: KubeNodeLogPlace): string {
  if ('unit' in place) return plantedLog(plant, `journal of ${place.unit} on ${node}`);
  if (place.path === '')
    return '<pre>\n<a href="syslog">syslog</a>\n<a href="aws-routed-eni/">aws-routed-eni/</a>\n</pre>';
  if (place.path.endsWith('/')) return '<pre>\n<a href="ipamd.log">ipamd.log</a>\n</pre>';
  return plantedLog(plant, `${place.path} on ${node}`);
}

export interface PlantedWorld {
  /** Objects by the plural of their kind. */
  readonly lists: Readonly<Record<string, readonly JsonObject[]>>;
  /** Answers by service and operation. */
  readonly answers: Readonly<Record<string, JsonObject>>;
  readonly clients: LookClients;
}

export function plantedWorld(plant: Plant): PlantedWorld {
  const lists = plantedLists(plant);
  const answers: Readonly<Record<string, JsonObject>> = plantedAnswers(plant);
  const kube: KubeApi = {
    server: 'https://lab.example.net',
    async *list({ plural }) {
      if (REFUSED_LISTS.includes(plural)) throw refusal(plant, `refusal of ${plural}`);
      yield { items: lists[plural] ?? [], resourceVersion: '1' };
    },
    get: () => Promise.reject(refusal(plant, 'refusal of get')),
    async *watch() {},
    logs: async ({ name }) => new TextEncoder().encode(plantedLog(plant, `log of ${name}`)),
    kubeletHealth: async () => 'ok',
    nodeLog: async (node, place) => ({
      bytes: new TextEncoder().encode(plantedNodeLog(plant, node, place)),
      isCut: false,
    }),
    mayI: async () => true,
    version: async () => 'v1.36.3',
    skewMs: () => 0,
  };
  const aws: AwsApi = {
    region: 'eu-west-1',
    partition: 'aws',
    async *pages({ service, operation }) {
      const call = `${service}:${operation}`;
      if (REFUSED_CALLS.includes(call)) throw refusal(plant, `refusal of ${call}`);
      yield answers[call] ?? {};
    },
    requests: () => new Map(),
  };
  return { lists, answers, clients: { kube, aws, described: null, refusals: [], clock } };
}
