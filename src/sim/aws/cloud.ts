/** AWS as the world has it. */
import type { AwsCall } from '../../ports/aws-api.ts';
import { type Account, createAccount, drawLag } from './account.ts';
import { authorize } from './authorization.ts';
import { followInstances } from './autoscaling/groups.ts';
import { operationOf } from './catalogue.ts';
import type { AwsAnswer, AwsCloud, AwsIdentity } from './contract.ts';
import { createDefaults } from './defaults.ts';
import { assumeRole, identityOf } from './iam/credentials.ts';
import { createControls, type AwsControls } from './controls.ts';
import { type MetadataService, metadataService } from './metadata.ts';
import { actionOf, flagIn, isRead, type Request } from './operation.ts';
import type { AwsCloudOptions } from './options.ts';
import { onePage } from './paging.ts';
import { RefusedError, refused } from './refusal.ts';
import { throttle } from './throttling.ts';
import { record } from './trail.ts';
import { trueInstance } from './true-instance.ts';

/** The cloud of the contract, with what the laying out and the faults of a world need. */
export interface SimulatedAws extends AwsCloud {
  readonly controls: AwsControls;
  /** The token that goes with temporary keys, empty for those of a user, null for unknown ones. */
  sessionTokenOf(accessKeyId: string): string | null;
  /** What each machine is told at 169.254.169.254. */
  readonly metadata: MetadataService;
}

export function createAwsCloud(options: AwsCloudOptions): SimulatedAws {
  const account = createAccount(options);
  account.listeners.push(followInstances(account));
  createDefaults(account);
  return {
    region: account.region,
    accountId: account.accountId,
    controls: createControls(account),
    metadata: metadataService(account),
    answer: (identity, call) => answer(account, identity, call),
    identityOf: (accessKeyId) => identityOf(account, accessKeyId),
    credentialsOf: (roleArn, sessionName) =>
      assumeRole(account, roleArn, sessionName ?? `session-${account.ids.uuid().slice(0, 8)}`),
    secretOf: (accessKeyId) => account.keys.get(accessKeyId)?.secretAccessKey ?? null,
    sessionTokenOf: (accessKeyId) => account.keys.get(accessKeyId)?.sessionToken ?? null,
    instance: (instanceId) => {
      const found = account.instances.get(instanceId);
      return found === undefined ? null : trueInstance(account, found);
    },
    instances: () => account.instances.values().map((one) => trueInstance(account, one)),
    onEvent: (listener) => {
      account.listeners.push(listener);
    },
    appendConsole: (instanceId, text) => {
      const before = account.consoles.get(instanceId) ?? '';
      account.consoles.set(instanceId, (before + text).slice(-CONSOLE_CHARS));
    },
  };
}

const CONSOLE_CHARS = 65_536;

function answer(account: Account, identity: AwsIdentity, call: AwsCall): AwsAnswer {
  try {
    const output = answered(account, identity, call);
    record(account, identity, call, null);
    return { ok: true, output };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    record(account, identity, call, error.refusal);
    return { ok: false, refusal: error.refusal };
  }
}

function answered(
  account: Account,
  identity: AwsIdentity,
  call: AwsCall,
): ReturnType<typeof onePage> {
  const action = actionOf(call.service, call.operation);
  account.calls.set(action, (account.calls.get(action) ?? 0) + 1);
  const operation = operationOf(call);
  if (operation === null) throw unknownOperation(call);
  const { input } = call;
  const request: Request = { account, identity, input, atMs: momentOf(account, call) };
  throttle(account, call);
  refuseAsTold(account, action);
  authorize(request, call, operation);
  if (flagIn(input, 'DryRun') === true) {
    const message = 'Request would have succeeded, but DryRun flag is set.';
    throw refused('DryRunOperation', message, 412);
  }
  return onePage(operation.answer(request), input, operation.pages);
}

function unknownOperation({ operation }: AwsCall): RefusedError {
  return refused('InvalidAction', `The simulated AWS does not have the action ${operation}.`);
}

/** Reads may be behind; what changes things knows how they are. */
function momentOf(account: Account, { operation }: AwsCall): number {
  const nowMs = account.kernel.nowMs();
  return isRead(operation) ? nowMs - drawLag(account, 'aws/lag', account.options.lag) : nowMs;
}

/** Refusals that a fault has ordered: of an action, of a whole service, or of everything. */
function refuseAsTold(account: Account, action: string): void {
  const service = action.slice(0, action.indexOf(':'));
  for (const selector of [action, `${service}:*`, '*']) {
    const told = account.refusals.get(selector);
    if (told === undefined) continue;
    if (told.left <= 1) account.refusals.delete(selector);
    else account.refusals.set(selector, { ...told, left: told.left - 1 });
    throw new RefusedError(told.refusal);
  }
}
