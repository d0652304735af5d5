/** Prometheus text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
import type { MetricType } from './declaration.ts';

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export function metricHead(name: string, help: string, type: MetricType): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

export function sampleLine(name: string, labels: Labels, value: number): string {
  return `${name}${labelSet(labels)} ${sampleValue(value)}\n`;
}

function labelSet(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${labelValue(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function labelValue(value: string): string {
  // An unpaired surrogate has no UTF-8, and the server refuses the whole answer for it.
  const wellFormed = value.toWellFormed();
  return wellFormed.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** As Go's ParseFloat reads it. */
export function sampleValue(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
