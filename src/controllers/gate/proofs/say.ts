import type { Proof } from '../policy.ts';
import { sayCondition } from './condition.ts';
import { sayCsiDriver } from './csi-driver.ts';
import { sayDaemonSet } from './daemonset.ts';
import { sayMetadata } from './metadata.ts';
import { sayResource } from './resource.ts';
import type { Saying, Scene } from './saying.ts';

/** What one proof says of a node now. */
export function say(proof: Proof, scene: Scene): Saying {
  switch (proof.kind) {
    case 'daemonset':
      return sayDaemonSet(proof, scene);
    case 'condition':
      return sayCondition(proof, scene);
    case 'csi-driver':
      return sayCsiDriver(proof.name, scene);
    case 'resource':
      return sayResource(proof.name, scene);
    default:
      return sayMetadata(proof, scene);
  }
}

/** How a person names a proof. */
export function proofText(proof: Proof): string {
  switch (proof.kind) {
    case 'daemonset':
      return `DaemonSet ${proof.namespace}/${proof.name}`;
    case 'condition':
      return `condition ${proof.type}=${proof.status}`;
    case 'csi-driver':
      return `CSI driver ${proof.name}`;
    case 'resource':
      return `resource ${proof.name}`;
    default:
      return `${proof.kind} ${proof.key}${proof.value === null ? '' : `=${proof.value}`}`;
  }
}
