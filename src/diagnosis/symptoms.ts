import { SYMPTOMS_OF_BOOT } from './symptoms-of-boot.ts';
import { SYMPTOMS_OF_NODES } from './symptoms-of-nodes.ts';

/** All symptoms, by stage. */
export const SYMPTOMS = [...SYMPTOMS_OF_BOOT, ...SYMPTOMS_OF_NODES] as const;

export type SymptomId = (typeof SYMPTOMS)[number]['id'];
