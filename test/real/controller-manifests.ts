/** The manifests of `deploy/`, as a user applies them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { type JsonObject, textAt } from '../../src/evidence/json.ts';
import type { KubeClient } from './kube-client.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const FILES = ['node-reports.yaml', 'controller-rbac.yaml'];
const PATHS: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ServiceAccount: '/api/v1/namespaces/rollcall/serviceaccounts',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles',
  MutatingAdmissionPolicy: '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  MutatingAdmissionPolicyBinding:
    '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  RoleBinding: '/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings',
};

/** Applies them as they are, bound to a user with a certificate in place of the account. */
export async function applyControllerManifests(client: KubeClient, user: string): Promise<void> {
  await applyManifests(client, FILES, user);
}

/** Applies manifests of `deploy/` as they are, bound to a user in place of the account. */
export async function applyManifests(
  client: KubeClient,
  files: readonly string[],
  user: string,
): Promise<void> {
  const subject = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user };
  for (const file of files)
    for (const object of loadAll(readFileSync(join(DEPLOY, file), 'utf8')) as JsonObject[]) {
      const kind = textAt(object, 'kind') ?? '';
      const namespace = textAt(object, 'metadata.namespace') ?? '';
      const path = (PATHS[kind] ?? assert.fail(kind)).replace('NAMESPACE', namespace);
      const bound = kind.endsWith('RoleBinding') ? { ...object, subjects: [subject] } : object;
      await client.create(path, bound);
    }
}
