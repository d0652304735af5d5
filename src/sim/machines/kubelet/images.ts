import type { Host } from '../host.ts';
import type { MachineNetwork } from '../network/network.ts';

export type PullResult =
  | { readonly ok: true; readonly tookMs: number; readonly isPresent: boolean }
  | { readonly ok: false; readonly message: string; readonly tookMs: number };

/** Median of pulling a middling image inside AWS, and how far it scatters. */
const PULL_MS = 2200;
const PULL_SIGMA = 0.5;
/** A registry that does not answer is given up after this time (Go's dialer in containerd). */
const DIAL_TIMEOUT_MS = 30_000;

interface Waiting {
  readonly image: string;
  readonly done: (result: PullResult) => void;
}

/** The images of one machine; they are pulled one after another (`serializeImagePulls`). */
export class ImageStore {
  readonly #host: Host;
  readonly #network: MachineNetwork;
  readonly #present = new Set<string>();
  readonly #waiting: Waiting[] = [];
  #isPulling = false;

  constructor(host: Host, network: MachineNetwork) {
    this.#host = host;
    this.#network = network;
  }

  /** What was being pulled at power-off is not. */
  reset(): void {
    this.#waiting.length = 0;
    this.#isPulling = false;
  }

  has(image: string): boolean {
    return this.#present.has(image);
  }

  list(): readonly string[] {
    return [...this.#present];
  }

  pull(image: string, done: (result: PullResult) => void): void {
    if (this.#present.has(image)) return done({ ok: true, tookMs: 0, isPresent: true });
    this.#waiting.push({ image, done });
    if (!this.#isPulling) this.#next();
  }

  #next(): void {
    const next = this.#waiting.shift();
    this.#isPulling = next !== undefined;
    if (next === undefined) return;
    const result = this.#attempt(next.image);
    this.#host.after(result.tookMs, () => {
      if (result.ok) this.#present.add(next.image);
      next.done(result);
      this.#next();
    });
  }

  #attempt(image: string): PullResult {
    if (this.#present.has(image)) return { ok: true, tookMs: 0, isPresent: true };
    const message = this.#refusal(image);
    if (message !== null)
      return { ok: false, message, tookMs: this.#isSilent() ? DIAL_TIMEOUT_MS : 400 };
    const tookMs = this.#host.random.lognormal(PULL_MS, PULL_SIGMA);
    return { ok: true, tookMs, isPresent: false };
  }

  #isSilent(): boolean {
    return this.#network.isLost('registry');
  }

  #refusal(image: string): string | null {
    const start = `failed to pull and unpack image ${JSON.stringify(image)}: `;
    if (this.#isSilent()) {
      const registry = image.includes('/') ? image.slice(0, image.indexOf('/')) : 'docker.io';
      return `${start}failed to resolve reference ${JSON.stringify(image)}: failed to do request: Head "https://${registry}/v2/": dial tcp: i/o timeout`;
    }
    if (this.#host.faults.has('disk-full'))
      return `${start}failed to extract layer: write /var/lib/containerd/io.containerd.content.v1.content/ingest: no space left on device`;
    const fault = this.#host.faults
      .of('image-pull')
      .find(({ only }) => only === undefined || image.includes(only));
    return fault === undefined ? null : `${start}${fault.message}`;
  }
}
