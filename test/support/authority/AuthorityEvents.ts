import type { AuthorityEvent } from "../../../src/invoices/rules/AcceptanceRules.ts"

/** An event in the authority's records on 2026-11-23, with these changes. */
export const event = (code: AuthorityEvent["code"], change: Partial<AuthorityEvent> = {}): AuthorityEvent => ({
  code,
  at: Date.parse("2026-11-23T15:00:00Z"),
  by: null,
  claim: null,
  ...change
})
