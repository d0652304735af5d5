/** Which printed commands give one and the same answer, in which forms, and which give the answer of another. */

const GET = /^(?:kubectl|oc) (?:-n \S+ )?get (?!--raw)/;
const FORM = / -o (json|yaml|wide)\b/;
const OTHER_FORM = / (?:-o|--output)[ =](?!json\b|yaml\b|wide\b)/;

/** What a command asks for, whatever form it asks for it in. */
export function answerOf(command: string): string {
  return GET.test(command) && !OTHER_FORM.test(command) ? command.replace(FORM, '') : command;
}

/** Objects say more than a wide table, and that more than a plain one. */
function fullness(command: string): number {
  const form = FORM.exec(command)?.[1];
  if (form === undefined) return 0;
  return form === 'wide' ? 1 : 2;
}

/** Of two commands for one answer, the one whose form says more; the first where both say all. */
export function fuller(one: string, other: string): string {
  return fullness(other) > fullness(one) ? other : one;
}

const ONE_OF_ALL: readonly (readonly [RegExp, string])[] = [
  [/\bget node (?!-)\S+/g, 'get nodes'],
  [/\bdescribe node (?!-)\S+/g, 'describe nodes'],
  [/ --field-selector spec\.nodeName=\S+/g, ''],
  [/( describe-instances) --instance-ids \S+/g, '$1'],
  [/( describe-instances) --filters Name=private-ip-address,Values=\S+/g, '$1'],
];

/** What is asked of one machine, asked of all. */
export function ofAllMachines(command: string): string {
  return ONE_OF_ALL.reduce((text, [one, all]) => text.replace(one, all), command);
}
