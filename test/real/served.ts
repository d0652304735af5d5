import { until } from './bench.ts';
import { type KubeClient, type KubeObject, KubeRefusal } from './kube-client.ts';

/** Waits until a kind is served: a moment after its definition was stored, and not always at once. */
export async function untilServed(client: KubeClient, path: string): Promise<void> {
  await until(`${path} to be served`, async () => {
    try {
      return await client.find<KubeObject>(path);
    } catch (error) {
      // 429 while its storage is made ready.
      if (error instanceof KubeRefusal && error.status === 429) return null;
      throw error;
    }
  });
}
