import type { capacityOf } from '../../capacity/capacity.ts';
import type { DiagnosisDocument } from '../../diagnosis/document.ts';
import type { AwsApi } from '../../ports/aws-api.ts';
import type { KubeApi } from '../../ports/kube-api.ts';
import type { Clean } from '../../readers/saved/content.ts';
import type { FollowScene } from './naive-follower.ts';

/** A mistake put into Rollcall on purpose, at one of the places where it can be changed. */
export interface PlantedBug {
  /** Of its kind in the list: `P40`. */
  readonly id: string;
  /** Invariants of which at least one must not hold any more. */
  readonly caughtBy: readonly string[];
  /** What the diagnosis says instead. */
  readonly document?: (document: DiagnosisDocument) => DiagnosisDocument;
  /** The same, by a diagnosis that remembers what it has said in this run. */
  readonly remembering?: () => NonNullable<PlantedBug['document']>;
  /** How AWS is asked instead. */
  readonly aws?: (aws: AwsApi) => AwsApi;
  /** How the API server is asked instead. */
  readonly kube?: (kube: KubeApi) => KubeApi;
  /** Who watches the API server instead. */
  readonly follow?: (scene: FollowScene) => Promise<void>;
  /** How secrets are taken out of what is saved instead. */
  readonly clean?: Clean;
  /** How addresses are counted instead. */
  readonly capacity?: typeof capacityOf;
}
