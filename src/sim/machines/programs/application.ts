import { type Json, listAt, textAt } from '../../../evidence/json.ts';
import type { Timer } from '../../kernel/kernel.ts';
import { milliStamp } from '../logs/stamps.ts';
import type { MetadataAnswer } from '../network/metadata.ts';
import {
  annotationOf,
  askCredentials,
  complaint,
  type WantedRole,
  wantedRole,
} from './credentials.ts';
import type { IdentityLedger } from './identity-ledger.ts';
import type { Program, ProgramRun } from './program.ts';

/** From the start of a program to its first answer to a readiness probe, median. */
const START_MS = 900;
/** SDKs ask again this long before credentials end. */
const REFRESH_MS = 300_000;
/** Pause after credentials were not to be had, doubling up to the second value. */
const RETRY_MS = 1000;
const RETRY_MAX_MS = 30_000;
/** The program says so often that it is refused, less and less often. */
const COMPLAINT_MS = 30_000;
const COMPLAINT_MAX_MS = 3_600_000;

/** A program of a user's: it starts, is ready after a moment, and asks AWS when it has a role. */
export function application(ledger: IdentityLedger): Program {
  return (run) => {
    if (run.isInit) {
      run.after(run.host.random.lognormal(START_MS, 0.4), () => run.exit(0));
      return () => {};
    }
    const exitAfterMs = Number(annotationOf(run.pod.object(), 'lab/exit-after-ms') ?? 0);
    const role = wantedRole(run);
    const client = role === null ? null : new SdkClient(run, role, ledger);
    run.health({ isReady: false, readyMessage: refusedText(run.pod.address()) });
    run.after(run.host.random.lognormal(START_MS, 0.4), () => {
      run.print(`listening on :${portOf(run.container)}`);
      run.health({ isReady: true });
      client?.begin();
    });
    if (exitAfterMs > 0) run.after(exitAfterMs, () => run.exit(1));
    return () => client?.end();
  };
}

function refusedText(address: string): string {
  return `Get "http://${address}:8080/healthz": dial tcp ${address}:8080: connect: connection refused`;
}

function portOf(container: Json): string {
  return textAt(listAt(container, 'ports')[0], 'containerPort') ?? '8080';
}

/** The SDK inside a program: it asks once, keeps what it got, and asks again before that ends. */
class SdkClient {
  readonly #run: ProgramRun;
  readonly #role: WantedRole;
  readonly #ledger: IdentityLedger;
  #refresh: Timer | null = null;
  #complaint: Timer | null = null;
  #unlisten: (() => void) | null = null;
  #retryMs = RETRY_MS;
  #heldUntilMs = 0;
  #lifetimeMs = 0;
  #isOver = false;
  /** What the webhook has put into a pod leads past the metadata service. */
  readonly #isInjected: boolean;
  /** Whether the program gives up where AWS refuses it. */
  readonly #givesUp: boolean;

  constructor(run: ProgramRun, role: WantedRole, ledger: IdentityLedger) {
    this.#run = run;
    this.#role = role;
    this.#ledger = ledger;
    this.#isInjected = role.way === 'web-identity' || role.way === 'container';
    this.#givesUp = annotationOf(run.pod.object(), 'lab/ends-without-role') === 'true';
  }

  begin(): void {
    const { metadata, nodeName, pod } = this.#run;
    this.#ledger.begin({ pod: pod.key, podUid: pod.uid, nodeName, wantedRole: this.#role.role });
    if (!this.#isInjected) this.#unlisten = metadata.onChange(() => this.#reconsider());
    this.#fetch();
  }

  end(): void {
    this.#isOver = true;
    this.#unlisten?.();
    this.#refresh?.cancel();
    this.#complaint?.cancel();
    this.#ledger.end(this.#run.pod.uid);
  }

  #fetch(): void {
    if (this.#isOver) return;
    const answer = askCredentials(this.#run, this.#role);
    this.#refresh = this.#run.after(answer.tookMs, () => this.#answered(answer));
  }

  #answered(answer: MetadataAnswer): void {
    this.#complaint?.cancel();
    if (!answer.ok) return this.#refused(answer.error);
    this.#retryMs = RETRY_MS;
    this.#lifetimeMs = answer.lifetimeMs;
    this.#heldUntilMs = this.#run.host.trueMs() + answer.lifetimeMs;
    this.#ledger.change(this.#run.pod.uid, answer.identity);
    if (answer.identity === 'own-role') {
      if (this.#isInjected)
        this.#refresh = this.#run.after(answer.lifetimeMs - REFRESH_MS, () => this.#fetch());
      return;
    }
    this.#print('info', 'credentials from EC2RoleProvider');
    this.#complain(COMPLAINT_MS);
    this.#refresh = this.#run.after(answer.lifetimeMs - REFRESH_MS, () => this.#fetch());
  }

  #refused(error: string): void {
    this.#print('error', complaint(this.#role.way, error));
    if (this.#run.host.trueMs() >= this.#heldUntilMs) {
      this.#ledger.change(this.#run.pod.uid, 'none');
      if (this.#givesUp) return this.#run.exit(1);
    }
    this.#refresh = this.#run.after(this.#retryMs, () => this.#fetch());
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
  }

  /** The way to credentials has changed; what is held stays until the SDK asks again. */
  #reconsider(): void {
    if (this.#isOver || this.#lifetimeMs === 0) return;
    const nowMs = this.#run.host.trueMs();
    if (this.#ledger.now(this.#run.pod.uid) !== 'own-role') return;
    const roundMs = Math.max(1000, this.#lifetimeMs - REFRESH_MS);
    const sinceMs = nowMs - (this.#heldUntilMs - this.#lifetimeMs);
    const nextMs = roundMs - (sinceMs % roundMs);
    this.#heldUntilMs = nowMs + nextMs + REFRESH_MS;
    this.#refresh?.cancel();
    this.#refresh = this.#run.after(nextMs, () => this.#fetch());
  }

  #complain(delayMs: number): void {
    const { host } = this.#run;
    const role = host.instance().roleArn?.replace(/^.*\//, '') ?? 'nodes';
    const account = host.world.aws.accountId;
    const user = `arn:aws:sts::${account}:assumed-role/${role}/${host.instanceId}`;
    this.#print(
      'error',
      `read table: AccessDeniedException: User: ${user} is not authorized to perform: dynamodb:Query on resource: arn:aws:dynamodb:${host.world.aws.region}:${account}:table/orders`,
    );
    if (this.#givesUp) return this.#run.exit(1);
    this.#complaint = this.#run.after(delayMs, () =>
      this.#complain(Math.min(delayMs * 2, COMPLAINT_MAX_MS)),
    );
  }

  #print(level: string, msg: string): void {
    this.#run.print(JSON.stringify({ ts: milliStamp(this.#run.host.nowMs()), level, msg }));
  }
}
