const EKS_HOST = /\.eks\.amazonaws\.com(?:\.cn)?$/;

/** Two API servers of EKS with different names; behind a tunnel nobody can tell. */
export function isAnother(server: string, endpoint: string): boolean {
  if (!URL.canParse(server) || !URL.canParse(endpoint)) return false;
  const [here, there] = [new URL(server).hostname, new URL(endpoint).hostname];
  return EKS_HOST.test(here) && EKS_HOST.test(there) && here.toLowerCase() !== there.toLowerCase();
}
