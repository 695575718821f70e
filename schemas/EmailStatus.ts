import { Schema } from "effect"

/**
 * The status of an e-mail: `pending` until a mail server has accepted the e-mail, then `delivered`. A notice of the mail
 * provider may change either status to `bounced` or `complained`. A pending e-mail is `bounced` when the mail server refuses it
 * or no server accepts it within 24 hours. An e-mail is `failed` when the service cannot compose it or has no mail server; no
 * event reports `failed`.
 */
export const EmailStatus = Schema.Literals(["pending", "delivered", "bounced", "complained", "failed"]).annotate({
  identifier: "EmailStatus",
  description:
    "`pending`: no mail server has accepted the e-mail yet. `delivered`: a mail server accepted it. `bounced`: the address refuses it, or no server accepted it within 24 hours. `complained`: the recipient marked it as spam. `failed`: the e-mail could not be composed."
})
export type EmailStatus = typeof EmailStatus.Type
