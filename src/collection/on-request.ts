/**
 * What is asked only where somebody says so, as its permission reaches far:
 * `node-logs`, files and journals of machines through their kubelets;
 * `ssm`, the same of machines without Node, through Systems Manager;
 * `control-plane-logs`, what EKS wrote to CloudWatch Logs.
 */
export type OnRequest = 'node-logs' | 'ssm' | 'control-plane-logs';
