/** aws-auth, and the people and tools that write it besides. */
import { type JsonObject, textAt } from '../../../src/evidence/json.ts';
import type { Kernel } from '../../../src/sim/kernel/kernel.ts';
import { kubePort } from '../../../src/sim/kube/port.ts';
import { kubeWritesPort } from '../../../src/sim/kube/port-writes.ts';
import type { KubeApiServer } from '../../../src/sim/kube/server.ts';
import { CONFIG_MAPS } from '../../ports/kube-api.contract.ts';
import { ADMIN, ROLE } from '../../controllers/fix/scene.ts';
import type { Move } from './plan.ts';

export const PLACE = { namespace: 'kube-system', name: 'aws-auth' };
export const NODES = `- rolearn: ${ROLE}
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes
`;
const OWN = '# kept by the platform team\n';
const REMAPPED = `- rolearn: ${ROLE}\n  username: team\n  groups: [devs]\n`;
const USER = { name: 'people', groups: ['system:masters', 'system:authenticated'] };

export interface People {
  readonly start: () => Promise<void>;
  readonly move: (move: Move) => Promise<void>;
  /** `mapRoles` as it is now; null without the ConfigMap. */
  readonly mapRoles: () => Promise<string | null>;
}

export function peopleOf(kernel: Kernel, server: KubeApiServer): People {
  const clock = kernel.clock();
  const api = kubePort({ server, user: USER, clock });
  const writes = kubeWritesPort({ server, user: USER, clock });
  let added = 0;
  const mapRoles = async (): Promise<string | null> => {
    const found = await api.get(CONFIG_MAPS, PLACE).catch(() => null);
    return found === null ? null : (textAt(found, 'data.mapRoles') ?? '');
  };
  const put = async (text: string): Promise<void> => {
    const object: JsonObject = {
      metadata: { ...PLACE },
      data: { mapRoles: text, mapUsers: 'x: 1' },
    };
    const change = { data: { mapRoles: text } };
    if ((await mapRoles()) === null) await writes.create(CONFIG_MAPS, object);
    else await writes.patch(CONFIG_MAPS, PLACE, { type: 'merge', change });
  };
  const clear = async (): Promise<void> => {
    if ((await mapRoles()) !== null) await writes.delete(CONFIG_MAPS, PLACE, { preconditions: {} });
  };
  const acts: Readonly<Record<Move, () => Promise<void>>> = {
    overwrite: async () => put(`${OWN}${ADMIN}`),
    delete: clear,
    break: async () => put(`${OWN}\t- rolearn`),
    remap: async () => put(`${OWN}${ADMIN}${REMAPPED}`),
    add: async () => {
      added += 1;
      const text = (await mapRoles()) ?? '';
      await put(`${text}- rolearn: arn:aws:iam::111122223333:role/team-${added}\n  username: t\n`);
    },
    // As a tool that deletes first and creates afterwards.
    replace: async () => {
      await clear();
      await clock.sleep(20_000);
      await put(`${OWN}${ADMIN}${NODES}`);
    },
  };
  return {
    start: async () => put(`${OWN}${ADMIN}${NODES}`),
    move: async (move) => acts[move](),
    mapRoles,
  };
}
