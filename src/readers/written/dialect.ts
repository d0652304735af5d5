/** How an answer about the things of a plan is written for the file that they come from. */
export interface Dialect {
  /** What the lines of evidence name as their source. */
  readonly source: string;
  /** A sentence or an address in the words of the file. */
  readonly say: (text: string) => string;
  /**
   * The place in the file that a quote is from.
   *
   * @param address of the thing that was quoted
   */
  readonly place: (address: string, excerpt: string) => string;
  /** The command that shows what is open, where there may be nothing yet to ask AWS about. */
  readonly collect: (command: string) => string;
}
