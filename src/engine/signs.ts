import { SIGNS } from '../causes/index.generated.ts';
import { compileSigns, type SignTable } from '../readers/sign-table.ts';

/** The signs of all causes, ready for reading. */
export function signsOfCauses(): SignTable {
  return compileSigns(SIGNS);
}
