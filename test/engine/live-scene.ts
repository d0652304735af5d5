/** One machine of a live cluster, an hour old, with whatever else a test says of it. */
import assert from 'node:assert/strict';
import { diagnoseTexts } from '../../src/engine/diagnose.ts';
import type { DiagnosisDocument, SubjectReport } from '../../src/diagnosis/document.ts';
import type { JsonObject } from '../../src/evidence/json.ts';

export const NOW = '2026-11-22T10:00:00Z';
export const ID = 'i-0123456789abcdef0';
export const NAME = 'ip-10-0-1-2.eu-west-1.compute.internal';
export const EVIDENCE = 'evidence.rollcall.dev/v1alpha1';

export function ago(minutes: number): string {
  return new Date(Date.parse(NOW) - minutes * 60_000).toISOString().replace('.000', '');
}

export const COLLECTION = { apiVersion: EVIDENCE, kind: 'Collection', at: NOW, cluster: 'lab' };

export function listOf(kind: string, items: readonly JsonObject[], isComplete = true): JsonObject {
  const metadata = isComplete ? { annotations: { rollcall: 'complete' } } : {};
  return { apiVersion: 'v1', kind: `${kind}List`, metadata, items };
}

export function instance(launchedAgo: number, state: JsonObject = { Name: 'running' }): JsonObject {
  return {
    InstanceId: ID,
    PrivateDnsName: NAME,
    PrivateIpAddress: '10.0.1.2',
    LaunchTime: ago(launchedAgo),
    State: state,
  };
}

export function instances(...Instances: readonly JsonObject[]): JsonObject {
  return { Reservations: [{ Instances }] };
}

export const NODE = {
  metadata: { name: NAME, uid: 'u1', creationTimestamp: ago(60) },
  spec: { providerID: `aws:///eu-west-1a/${ID}` },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.0.1.2' }],
    conditions: [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: ago(1) },
    ],
    nodeInfo: { kubeletVersion: 'v1.36.2' },
  },
};

export function pod(
  name: string,
  started: number,
  status: JsonObject,
  spec: JsonObject = {},
): JsonObject {
  return {
    metadata: { name, namespace: 'kube-system' },
    spec: { nodeName: NAME, ...spec },
    status: { startTime: ago(started), ...status },
  };
}

export const READY = [{ type: 'Ready', status: 'True' }];
export const DAEMON = pod(
  'aws-node-x2x4p',
  50,
  { phase: 'Running', podIP: '10.0.1.2', conditions: READY },
  { hostNetwork: true },
);

export async function diagnosed(...documents: readonly JsonObject[]): Promise<DiagnosisDocument> {
  return diagnoseTexts(
    documents.map((value, index) => ({ name: `${index}.json`, text: JSON.stringify(value) })),
  );
}

export async function machine(...documents: readonly JsonObject[]): Promise<SubjectReport> {
  const { subjects } = await diagnosed(...documents);
  return subjects.find(({ kind }) => kind === 'Machine') ?? assert.fail('no machine');
}

export function stateOf(report: SubjectReport, stage: string): string {
  return report.ladder.find((rung) => rung.stage === stage)?.state ?? 'none';
}
