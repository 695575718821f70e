import { Schema } from "effect"

/**
 * The status of an email: `pending` until a mail server accepts the email, then `delivered`. A notice of the mail
 * provider may change both to `bounced` or `complained`. A pending email becomes `bounced` if the mail server refuses
 * it or no server accepts it within 24 hours. It becomes `failed` if Folio cannot compose it or has no mail server. No
 * event reports `failed`.
 */
export const EmailStatus = Schema.Literals(["pending", "delivered", "bounced", "complained", "failed"]).annotate({
  identifier: "EmailStatus",
  description:
    "Status of the email. `pending`: no mail server has accepted the email yet. `delivered`: a mail server accepted the email. `bounced`: the mail server rejected the email, or no server accepted it within 24 hours. `complained`: the recipient marked the email as spam. `failed`: Folio could not compose the email, or has no mail server."
})
export type EmailStatus = typeof EmailStatus.Type
