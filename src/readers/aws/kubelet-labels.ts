const LABELS_MAX = 20;
const GIVEN = /--node-labels(?:=|\s+)["']?([^\s"'\\]{1,4000})/g;
/** A label key with a prefix; what a script has yet to fill in is none. */
const KEY = /^[a-z0-9.-]{1,253}\/[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/;
const RESERVED = /(?:^|\.)(?:kubernetes|k8s)\.io$/;
/** Domains and keys that a kubelet may give itself (IsKubeletLabel of k8s.io/kubelet/pkg/apis). */
const ALLOWED_DOMAIN = /(?:^|\.)(?:kubelet|node)\.kubernetes\.io$/;
const ALLOWED_KEY =
  /^(?:(?:beta\.)?kubernetes\.io\/(?:os|arch)|kubernetes\.io\/hostname|(?:topology|failure-domain\.beta)\.kubernetes\.io\/(?:zone|region)|beta\.kubernetes\.io\/instance-type)$/;

/** Keys in `--node-labels` of a script with which kubelets of 1.16 and later do not start. */
export function reservedLabelsOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const keys = lines
    .flatMap((line) => [...line.matchAll(GIVEN)])
    .flatMap(([, labels = '']) => labels.split(','))
    .map((label) => label.split('=')[0] ?? '')
    .filter(isReserved);
  return [...new Set(keys)].slice(0, LABELS_MAX);
}

function isReserved(key: string): boolean {
  const domain = KEY.test(key) ? key.slice(0, key.indexOf('/')) : '';
  return RESERVED.test(domain) && !ALLOWED_DOMAIN.test(domain) && !ALLOWED_KEY.test(key);
}
