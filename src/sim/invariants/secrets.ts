import { textAt } from '../../evidence/json.ts';
import type { FaultScene } from '../faults/contract.ts';
import { fromBase64 } from '../platform/certificates/base64.ts';
import type { Invariant } from './contract.ts';

const BOOTSTRAP = 'bootstrap.kubernetes.io/token';

/** What opens doors in this world: bootstrap tokens and keys of AWS. */
export function secretsOf({ people, simulated }: FaultScene): readonly string[] {
  const tokens = people
    .list('Secret', { namespace: 'kube-system' })
    .filter((one) => textAt(one, 'type') === BOOTSTRAP)
    .flatMap((one) => {
      const id = textAt(one, 'data.token-id') ?? textAt(one, 'stringData.token-id');
      const secret = textAt(one, 'data.token-secret') ?? textAt(one, 'stringData.token-secret');
      return id === null || secret === null ? [] : [fromBase64(secret) ?? secret];
    });
  const { secretAccessKey, sessionToken } = simulated.cloud.credentialsOf(
    simulated.infrastructure.nodeRoleArn,
  );
  const admin = simulated.cloud.secretOf(simulated.admin.identity.accessKeyId);
  return [...tokens, secretAccessKey, sessionToken, admin ?? ''].filter((one) => one.length > 7);
}

/** No secret is printed or bundled: neither of the world nor of those that were planted in it. */
export const secrets: Invariant = {
  rule: 'I-28',
  look({ printed, way }, { stage, evaluated, violated }) {
    const all = secretsOf(stage);
    for (const text of printed) {
      evaluated();
      const index = all.findIndex((secret) => text.includes(secret));
      if (index >= 0) violated('output', `${way}: a secret of the world is printed`);
      const planted = stage.looking.plants.shownIn(text);
      if (planted !== null)
        violated('output', `${way}: ${planted.shape} of ${planted.place} is printed`);
    }
  },
};
