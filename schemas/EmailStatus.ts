import { Schema } from "effect"

/**
 * `pending` until the mail server has taken it, then `delivered`; from there a notice of the mail provider may lead to
 * `bounced` or `complained`. `failed`: the service could not make it or has no mail server, and no event tells of it.
 */
export const EmailStatus = Schema.Literals(["pending", "delivered", "bounced", "complained", "failed"]).annotate({
  identifier: "EmailStatus",
  description:
    "`pending` until the mail server has taken it; `bounced`: the address does not take it, or no server took it within 24 hours; `complained`: marked as spam; `failed`: it could not be made."
})
export type EmailStatus = typeof EmailStatus.Type
