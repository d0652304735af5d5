import type { JsonObject } from '../../src/evidence/json.ts';

/** A custom resource with one of every limit that programs try. */
export const RULE_DEFINITION: JsonObject = {
  metadata: { name: 'rules.rollcall.test' },
  spec: {
    group: 'rollcall.test',
    scope: 'Cluster',
    names: { plural: 'rules', kind: 'Rule' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['key'],
                properties: {
                  key: { type: 'string', minLength: 2, maxLength: 8, pattern: '^[a-z]+$' },
                  mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
                  count: { type: 'integer', minimum: 1, maximum: 5 },
                },
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
};
