import { at, type JsonObject, listAt, textAt } from '../../../evidence/json.ts';
import type { World } from '../../world.ts';
import { nameOf } from '../objects/meta.ts';
import { timestamp } from '../objects/stamp.ts';
import {
  type Actor,
  type ActorOptions,
  cacheOf,
  controllerUser,
  createActor,
  type Running,
} from '../running/actor.ts';
import { createSyncQueue } from '../running/work-queue.ts';
import { toBase64 } from './base64.ts';
import { subjectOf } from './pkcs10.ts';

export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

export interface CertificateOptions extends ActorOptions {
  /** False leaves requests pending until somebody approves them. */
  readonly isApproving?: boolean;
  /** EKS approves the serving certificates of its nodes; kube-controller-manager does not. */
  readonly approvesServing?: boolean;
}

/** How long a certificate is good for (`--cluster-signing-duration`). */
const DURATION_MS = 365 * 24 * 3600_000;
/** csrapproving of kube-controller-manager: for a first certificate, and for its renewal. */
const MESSAGES = {
  bootstrap: 'Auto approving kubelet client certificate after SubjectAccessReview.',
  renewal: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
} as const;

/** Approves and signs the certificate requests of kubelets. */
export function startCertificateControllers(
  world: World,
  options: CertificateOptions = {},
): Running {
  const actor = createActor(
    world,
    'certificate-controller',
    controllerUser('certificate-controller'),
    options,
  );
  const queue = createSyncQueue(actor, (name) => {
    const request = requests.get(name);
    if (request === undefined) return;
    if (isConditioned(request, 'Approved')) sign(actor, request);
    else if (!isConditioned(request, 'Denied')) approve(actor, request, options);
  });
  const requests = cacheOf(actor, 'CertificateSigningRequest', nameOf, (type, object) => {
    if (type !== 'DELETED') queue.add(nameOf(object));
  });
  return actor;
}

function isConditioned(request: JsonObject, type: string): boolean {
  return listAt(request, 'status.conditions').some((entry) => textAt(entry, 'type') === type);
}

function approve(actor: Actor, request: JsonObject, options: CertificateOptions): void {
  const message = options.isApproving === false ? null : approvalOf(request, options);
  if (message === null) return;
  const stamp = timestamp(actor.kernel.nowMs());
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'AutoApproved',
    message,
    lastUpdateTime: stamp,
    lastTransitionTime: stamp,
  };
  const patch = { status: { conditions: [condition] } };
  actor.client.patch('CertificateSigningRequest', nameOf(request), 'merge', patch, 'approval');
}

/** Why the request is approved, null when it is not for this controller. */
export function approvalOf(request: JsonObject, options: CertificateOptions): string | null {
  const signer = textAt(request, 'spec.signerName');
  const user = textAt(request, 'spec.username') ?? '';
  const groups = listAt(request, 'spec.groups');
  if (signer === SERVING_SIGNER) return options.approvesServing === true ? MESSAGES.renewal : null;
  if (signer !== CLIENT_SIGNER) return null;
  if (groups.includes('system:bootstrappers') || user.startsWith('system:bootstrap:'))
    return MESSAGES.bootstrap;
  return groups.includes('system:nodes') || user.startsWith('system:node:')
    ? MESSAGES.renewal
    : null;
}

function sign(actor: Actor, request: JsonObject): void {
  if (at(request, 'status.certificate') !== undefined) return;
  const nowMs = actor.kernel.nowMs();
  const subject = subjectOf(textAt(request, 'spec.request') ?? '');
  const text = JSON.stringify({
    commonName: subject?.commonName ?? textAt(request, 'spec.username'),
    organizations: subject?.organizations ?? ['system:nodes'],
    notBefore: timestamp(nowMs),
    notAfter: timestamp(nowMs + DURATION_MS),
  });
  const pem = `-----BEGIN CERTIFICATE-----\n${toBase64(text)}\n-----END CERTIFICATE-----\n`;
  const patch = { status: { certificate: toBase64(pem) } };
  actor.client.patch('CertificateSigningRequest', nameOf(request), 'merge', patch, 'status');
}
