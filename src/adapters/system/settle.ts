/** As it was when the program began, also while tripwires are up. */
const nextTurn = setImmediate;

/** Lets code that waits for promises go on as far as it can. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => nextTurn(resolve));
}
