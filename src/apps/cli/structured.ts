/** A document as programs read it; in YAML what occurs twice is written twice, as kubectl does. */
export async function structured(value: object, format: 'json' | 'yaml'): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const { dump } = await import('js-yaml');
  return dump(value, { lineWidth: 100, noRefs: true });
}
