/** The simulated AWS and moto, asked the same. */
import { after } from 'node:test';
import { type Moto, startMoto } from '../../real/moto.ts';
import { missing } from '../../real/parts.ts';
import { layoutContract } from './shared-layout.contract.ts';
import { machineContract } from './shared-machines.contract.ts';
import { awsSite } from './site.ts';
import type { WireAws, WireAwsSubjects } from './wire-clients.ts';

declare({
  name: 'simulated',
  skip: false,
  open: async (t) => {
    const { door, admin, aws, pass } = await awsSite(t, { isThrottled: false });
    return {
      url: door.url,
      accessKeyId: admin.accessKeyId,
      secretAccessKey: aws.secretOf(admin.accessKeyId) ?? '',
      pass: async (durationMs) => {
        pass(durationMs);
      },
    };
  },
});

function declare(subjects: WireAwsSubjects): void {
  machineContract(subjects);
  layoutContract(subjects);
}

let running: Promise<Moto> | null = null;

after(async () => {
  await (await running)?.stop();
});

/** moto's machines are where they go at once. */
async function freshMoto(): Promise<WireAws> {
  running ??= startMoto();
  const moto = await running;
  await moto.reset();
  const keys = { accessKeyId: 'testing', secretAccessKey: 'testing' };
  return { url: moto.url, ...keys, pass: async () => undefined };
}

declare({ name: 'moto', skip: missing('moto'), open: freshMoto });
