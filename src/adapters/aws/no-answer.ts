/** Something came back, or nothing in time, that is no answer of AWS. */
export type NoAnswer =
  | { readonly kind: 'html'; readonly status: number }
  | { readonly kind: 'redirect'; readonly status: number; readonly to: string | null }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'other-document'; readonly lacks: string }
  | { readonly kind: 'no-end'; readonly pages: number }
  | { readonly kind: 'late'; readonly afterMs: number };

export class NoAnswerError extends Error {
  readonly what: NoAnswer;

  constructor(what: NoAnswer) {
    super(what.kind);
    this.name = 'NoAnswerError';
    this.what = what;
  }
}
