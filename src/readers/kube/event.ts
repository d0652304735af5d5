import { type Json, type JsonObject, textAt } from '../../evidence/json.ts';
import type { EventTarget, KubeEvent, NodeDeletionRequest } from '../../evidence/kube/event.ts';
import { isoMs } from '../../evidence/time.ts';

function firstText(value: Json, paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = textAt(value, path);
    if (text !== null && text !== '') return text;
  }
  return null;
}

function targetOf(value: JsonObject): EventTarget {
  const of = (field: string): string | null =>
    firstText(value, [`involvedObject.${field}`, `regarding.${field}`]);
  return {
    kind: of('kind') ?? '',
    name: of('name') ?? '',
    uid: of('uid'),
    apiVersion: of('apiVersion') ?? '',
  };
}

/** The one projection of an Event, of both of its API groups. */
export function projectEvent(value: JsonObject): KubeEvent {
  const times = [
    'series.lastObservedTime',
    'lastTimestamp',
    'deprecatedLastTimestamp',
    'eventTime',
    'metadata.creationTimestamp',
  ];
  const writers = ['source.component', 'deprecatedSource.component', 'reportingComponent'];
  return {
    namespace: textAt(value, 'metadata.namespace'),
    name: textAt(value, 'metadata.name') ?? '',
    reason: textAt(value, 'reason') ?? '',
    message: firstText(value, ['message', 'note']) ?? '',
    component: firstText(value, [...writers, 'reportingController']) ?? '',
    about: targetOf(value),
    lastMs: isoMs(firstText(value, times)),
  };
}

/**
 * The deletion of a Node that a record of the audit log shows; null for any other request, for one
 * that was refused, and for a record of another stage than the answer.
 */
export function nodeDeletionOf(value: JsonObject): NodeDeletionRequest | null {
  const isDeletion =
    textAt(value, 'verb') === 'delete' &&
    textAt(value, 'objectRef.resource') === 'nodes' &&
    textAt(value, 'objectRef.subresource') === null &&
    textAt(value, 'stage') === 'ResponseComplete' &&
    /^20\d$/.test(textAt(value, 'responseStatus.code') ?? '');
  const atMs = isoMs(firstText(value, ['stageTimestamp', 'requestReceivedTimestamp']));
  const node = textAt(value, 'objectRef.name');
  if (!isDeletion || atMs === null || node === null) return null;
  return {
    auditId: textAt(value, 'auditID') ?? '',
    node,
    uid: firstText(value, [
      'objectRef.uid',
      'requestObject.preconditions.uid',
      'responseObject.details.uid',
      'responseObject.metadata.uid',
    ]),
    user: textAt(value, 'user.username') ?? '',
    agent: textAt(value, 'userAgent') ?? '',
    atMs,
  };
}
