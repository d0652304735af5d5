/** What a token of a service account says, and until when. */
export interface IssuedToken {
  readonly namespace: string;
  readonly account: string;
  readonly uid: string;
  /** For whom it is; the API server takes those that are for itself. */
  readonly audiences: readonly string[];
  readonly expiresMs: number;
  /** A pod that it is bound to dies with it. */
  readonly pod: { readonly name: string; readonly uid: string } | null;
}
