import type { Command } from '../commands/command.ts';
import { flagsOf } from '../commands/join-configuration.ts';
import type { BootParts } from './boot-parts.ts';
import { askPrivateDnsName } from './ec2-name.ts';
import { eksKubelet } from './eks-kubelet.ts';

/** bootstrap.sh asks for the private DNS name this often, 6 s apart (amazon-eks-ami v20251217). */
const NAME_TRIES = 20;
const NAME_PAUSE_MS = 6000;

/** Programs that EKS images bring along. */
export function imagePrograms(parts: BootParts): Readonly<Record<string, Command>> {
  return {
    '/etc/eks/bootstrap.sh': ({ words, out }, done) => {
      const clusterName = words.slice(1).find((word) => !word.startsWith('-')) ?? '';
      if (clusterName === '') {
        out('cluster name is not defined\n');
        return done({ exitCode: 1, stdout: '', stderr: '' });
      }
      bootstrap(parts, { words, out, attempt: 1 }, (exitCode) =>
        done({ exitCode, stdout: '', stderr: '' }),
      );
    },
  };
}

interface Bootstrap {
  readonly words: readonly string[];
  readonly out: (text: string) => void;
  readonly attempt: number;
}

function bootstrap(parts: BootParts, task: Bootstrap, done: (exitCode: number) => void): void {
  const { host, network } = parts;
  const { attempt, out } = task;
  if (attempt === 1) out(`${stamp(parts)} INFO: Starting bootstrap script for EKS worker node\n`);
  const answer = askPrivateDnsName(host, network);
  if (answer.kind === 'name') return started(parts, task, answer.name, done);
  if (answer.kind === 'refused')
    out(
      `\nAn error occurred (${answer.code}) when calling the DescribeInstances operation: ${answer.message}\n`,
    );
  if (answer.kind === 'no-credentials')
    out(
      '\nUnable to locate credentials. You can configure credentials by running "aws configure".\n',
    );
  if (attempt >= NAME_TRIES) {
    out(`Failed to retrieve PrivateDnsName after ${NAME_TRIES} attempts. Exiting...\n`);
    out('Exited with error on line 503\n');
    return done(1);
  }
  out(
    `${stamp(parts)} INFO: Private DNS name is not available, attempt ${attempt}/${NAME_TRIES}\n`,
  );
  const lostMs = answer.kind === 'lost' ? 60_000 : 0;
  host.after(lostMs + NAME_PAUSE_MS, () =>
    bootstrap(parts, { ...task, attempt: attempt + 1 }, done),
  );
}

function stamp({ host }: BootParts): string {
  return `${new Date(host.nowMs()).toISOString().slice(0, 19)}+0000 [eks-bootstrap]`;
}

function started(
  parts: BootParts,
  { out, words }: Bootstrap,
  name: string,
  done: (exitCode: number) => void,
): void {
  const { disk, host, kubelet } = parts;
  const flags = flagsOf(words);
  const useMaxPods = flags.get('--use-max-pods') !== 'false';
  disk.config = eksKubelet(host, name, {
    flags: flags.get('--kubelet-extra-args') ?? '',
    maxPods: useMaxPods ? null : 110,
  });
  host.files.write(
    '/etc/kubernetes/kubelet/kubelet-config.json',
    '{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1"}\n',
  );
  out(`${stamp(parts)} INFO: Using IP family: ipv4\n`);
  host.after(1200, () => {
    kubelet.start();
    out(`${stamp(parts)} INFO: complete!\n`);
    done(0);
  });
}
