import { drawn } from '../host.ts';
import { klogText } from '../logs/klog.ts';
import type { Program } from './program.ts';

/** Writes the rules for service addresses some seconds after its start; they outlive it. */
export const kubeProxy: Program = (run) => {
  const { host, network } = run;
  const say = (place: string, message: string): void =>
    run.print(klogText({ severity: 'I', atMs: host.nowMs(), pid: 1, place, message }));
  say('server_linux.go:63', '"Using iptables proxy"');
  run.after(drawn(host.random, host.settings.kubeProxyTime), () => {
    say('shared_informer.go:356', '"Caches are synced" controller="service config"');
    network.translateServices(true);
  });
  return () => {};
};
