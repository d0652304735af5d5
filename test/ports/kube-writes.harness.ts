/** What the checks of every KubeWrites have in hand. */
import assert from 'node:assert/strict';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeApi } from '../../src/ports/kube-api.ts';
import type { KubeWrites } from '../../src/ports/kube-writes.ts';
import { PortError, type PortFailure } from '../../src/ports/port-error.ts';

export interface KubeWritesHarness {
  readonly api: KubeApi;
  readonly writes: KubeWrites;
  /** The same server as somebody who may write nothing. */
  readonly stranger: KubeWrites;
  /** A namespace that is empty when the test starts. */
  readonly namespace: string;
}

export type CheckOne = (what: string, body: (harness: KubeWritesHarness) => Promise<void>) => void;

/** The failure of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<PortFailure> {
  return (await errorOf(call)).failure;
}

export async function errorOf(call: Promise<unknown>): Promise<PortError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  assert.ok(error instanceof PortError, `it did not fail as a port does: ${JSON.stringify(error)}`);
  return error;
}

export function versionOf(object: JsonObject): string {
  return textAt(object, 'metadata.resourceVersion') ?? '';
}

export function uidOf(object: JsonObject): string {
  return textAt(object, 'metadata.uid') ?? '';
}
