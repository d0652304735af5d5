import { SIGNS } from '../causes/index.generated.ts';
import { compileSigns } from '../readers/sign-table.ts';

/** The signs of all causes, made ready once: that takes longer than reading a short log. */
export const SIGN_TABLE = compileSigns(SIGNS);
