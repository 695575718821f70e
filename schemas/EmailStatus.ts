import { Schema } from "effect"

/**
 * The status of an e-mail: `pending` until a mail server accepts the e-mail, then `delivered`. A notice of the mail
 * provider may change both to `bounced` or `complained`. A pending e-mail becomes `bounced` if the mail server refuses
 * it or no server accepts it within 24 hours. It becomes `failed` if Folio cannot compose it or has no mail server. No
 * event reports `failed`.
 */
export const EmailStatus = Schema.Literals(["pending", "delivered", "bounced", "complained", "failed"]).annotate({
  identifier: "EmailStatus",
  description:
    "Status of the e-mail. `pending`: no mail server has accepted the e-mail yet. `delivered`: a mail server accepted the e-mail. `bounced`: the address refused the e-mail, or no server accepted it within 24 hours. `complained`: the recipient marked the e-mail as spam. `failed`: Folio could not compose the e-mail, or has no mail server."
})
export type EmailStatus = typeof EmailStatus.Type
