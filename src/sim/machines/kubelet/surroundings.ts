import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';
import type { MetadataWay } from '../network/metadata.ts';
import type { Neighbourhood, PodPlace, Program } from '../programs/program.ts';
import type { EventText } from '../../platform/running/event-correlator.ts';
import type { ImageStore } from './images.ts';
import type { ApiResult, NodeApi } from './node-api.ts';

/** What pods and their containers have around them on a machine. */
export interface PodSurroundings {
  readonly host: Host;
  readonly network: MachineNetwork;
  readonly metadata: MetadataWay;
  readonly neighbours: Neighbourhood;
  readonly images: ImageStore;
  readonly nodeName: string;
  programOf(image: string, words: readonly string[]): Program;
  /** Whether the pod is no longer wanted here. */
  isGone(pod: PodPlace): boolean;
  /** Nothing is told while no kubelet runs. */
  event(pod: PodPlace, text: EventText, fieldPath?: string): void;
  syncError(pod: PodPlace, err: string): void;
  /** The runtime refused to make a sandbox. */
  sandboxFailed(pod: PodPlace, err: string): void;
  probeChanged(pod: PodPlace, isReady: boolean): void;
  /** The pod is ready for the first time, so long after it was seen. */
  started(pod: PodPlace, tookMs: number): void;
  probeFailed(pod: PodPlace, container: string, probe: string, message: string): void;
  /** null while no kubelet runs. */
  ask(what: string, request: Parameters<NodeApi['ask']>[1]): ApiResult | null;
}
