import { listAt, textAt } from '../../../evidence/json.ts';
import type { JsonObject } from '../../../evidence/json.ts';
import { requestOf } from '../../platform/certificates/pkcs10.ts';
import type { Timer } from '../../kernel/kernel.ts';
import type { KubeletLog } from './lines.ts';
import type { ApiResult, NodeApi } from './node-api.ts';

/** The signer of client certificates for kubelets. */
const SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
/** The signer of certificates with which kubelets serve. */
const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
/** How often the request is looked at while it waits; the real one watches it. */
const LOOK_MS = 250;
const LOOK_MAX_MS = 5000;
/** A request that the server did not take is sent again after this time. */
const AGAIN_MS = 2000;

export interface BootstrapTask {
  readonly api: NodeApi;
  readonly log: KubeletLog;
  readonly nodeName: string;
  after(delayMs: number, task: () => void): Timer;
  onCertificate(): void;
}

/** Asks for a client certificate with the bootstrap token, and waits for it for ever. */
export function bootstrapCertificate(task: BootstrapTask): void {
  const answer = task.api.ask('certificatesigningrequests', (client) =>
    client.create(signingRequest(task.nodeName)),
  );
  if (answer.ok) return lookAgain(task, textAt(answer.object, 'metadata.name') ?? '', LOOK_MS);
  refused(task, answer);
}

function refused(task: BootstrapTask, answer: Extract<ApiResult, { ok: false }>): void {
  const err = `cannot create certificate signing request: ${answer.message}`;
  const message = 'Failed while requesting a signed certificate from the control plane';
  task.log.line('E', 'rotation', message, { err });
  task.after(answer.tookMs + AGAIN_MS, () => bootstrapCertificate(task));
}

function lookAgain(task: BootstrapTask, name: string, waitMs: number): void {
  task.after(waitMs, () => {
    const answer = task.api.get({
      group: 'certificates.k8s.io',
      version: 'v1',
      plural: 'certificatesigningrequests',
      namespace: null,
      name,
      subresource: null,
    });
    if (answer.ok && isIssued(answer.object)) return task.onCertificate();
    if (answer.ok && isDenied(answer.object)) {
      const err = 'certificate request was denied by the approver';
      task.log.line('E', 'rotation', 'Certificate request was not signed', { err });
      return void task.after(LOOK_MAX_MS, () => bootstrapCertificate(task));
    }
    lookAgain(task, name, Math.min(waitMs * 1.5, LOOK_MAX_MS));
  });
}

function isIssued(request: JsonObject): boolean {
  return (textAt(request, 'status.certificate') ?? '') !== '';
}

function isDenied(request: JsonObject): boolean {
  return listAt(request, 'status.conditions').some((one) => textAt(one, 'type') === 'Denied');
}

/** Asks once for a certificate to serve with; nothing here waits for it. */
export function requestServing(api: NodeApi, nodeName: string): void {
  const request = signingRequest(nodeName);
  const spec = {
    ...(request['spec'] as JsonObject),
    signerName: SERVING_SIGNER,
    usages: ['digital signature', 'server auth'],
  };
  api.ask('certificatesigningrequests', (client) => client.create({ ...request, spec }));
}

/** The subject is what approvers look at; the key behind it is nobody's here. */
function signingRequest(nodeName: string): JsonObject {
  const subject = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'] };
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: {
      request: requestOf(subject),
      signerName: SIGNER,
      usages: ['digital signature', 'client auth'],
    },
  };
}
