/**
 * What is asked only where somebody says so, as its permission reaches far:
 * `node-logs`, files and journals of machines through their kubelets.
 */
export type OnRequest = 'node-logs';
