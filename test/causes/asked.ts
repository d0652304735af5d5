/** Which causes a run of the tests is about, as `npm run check -- CAUSE…` gives them. */

const given = process.env['ROLLCALL_CAUSES'] ?? '';

/** Their ids; none where the run is about all causes. */
export const ASKED: readonly string[] = given.split(',').filter((id) => id !== '');

/** Whether the run is about this cause. */
export function isAsked(id: string): boolean {
  return ASKED.length === 0 || ASKED.includes(id);
}
