const PROMPT =
  /^\s*(?:[$#>%]|sh-[\d.]+[$#]|bash-[\d.]+[$#]|\[[\w.-]+@[\w.-]+ [^\]]{0,80}\][$#]|[\w.-]+@[\w.-]+:[^$#]{0,80}[$#]|[A-Za-z](?:[\w.-]{0,61}\w)?(?::[^\s$#%]{0,80})?[$#%]|PS [A-Z]:\\[^>]{0,80}>)\s+/;
const PROGRAM =
  /^(?:sudo\s+)?(?:e?grep|journalctl|kubectl|oc|aws|cat|tail|head|less|curl|systemctl|crictl|ctr|dmesg|nodeadm|kubeadm|eksctl|kops|helm|ls|openssl|for|while|awk|sed|ip|iptables\S*|sysctl|getent|nslookup|dig|ssh|lspci|lsmod|modinfo|modprobe|nvidia-smi|calicoctl|uname|hostname|date|chronyc|timedatectl|rollcall)\b/;

/** The command behind a shell prompt; null for a line that shows none. */
export function commandBehindPrompt(line: string): string | null {
  const prompt = PROMPT.exec(line.slice(0, 300))?.[0];
  if (prompt === undefined || !PROGRAM.test(line.slice(prompt.length, prompt.length + 60)))
    return null;
  return line.slice(prompt.length).trim();
}

/** True for a shell prompt with the command behind it: what was asked, not what was seen. */
export function isCommandEcho(line: string): boolean {
  return commandBehindPrompt(line) !== null;
}
