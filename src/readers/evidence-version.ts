/** Version of the documents that Rollcall itself writes into a bundle. */
export const EVIDENCE_VERSION = 'evidence.rollcall.dev/v1alpha1';
