/** The only source of chance. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
}
