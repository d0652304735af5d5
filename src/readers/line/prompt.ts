const PROMPT =
  /^\s*(?:[$#>%]|sh-[\d.]+[$#]|bash-[\d.]+[$#]|\[[\w.-]+@[\w.-]+ [^\]]{0,80}\][$#]|[\w.-]+@[\w.-]+:[^$#]{0,80}[$#]|PS [A-Z]:\\[^>]{0,80}>)\s+/;
const PROGRAM =
  /^(?:sudo\s+)?(?:e?grep|journalctl|kubectl|oc|aws|cat|tail|head|less|curl|systemctl|crictl|ctr|dmesg|nodeadm|kubeadm|eksctl|kops|helm|ls|openssl|for|while|awk|sed|ip|iptables\S*|sysctl|getent|nslookup|dig|hostname|date|chronyc|timedatectl|rollcall)\b/;

/** True for a shell prompt with the command behind it: what was asked, not what was seen. */
export function isCommandEcho(line: string): boolean {
  const prompt = PROMPT.exec(line.slice(0, 300))?.[0];
  return prompt !== undefined && PROGRAM.test(line.slice(prompt.length, prompt.length + 60));
}
