import { Effect } from "effect"
import { type Envelope, MailerRefused, type Sent } from "./Mail.ts"

/**
 * What becomes of an e-mail of the test mode: it leaves no machine, and is not even put together until somebody reads it.
 * Addresses at bounced.test bounce, those at complained.test are delivered and then complain, all others are delivered.
 */
export const sendInSandbox = ({ to }: Envelope): Effect.Effect<Sent, MailerRefused> => {
  const domain = to.slice(to.lastIndexOf("@") + 1).toLowerCase()
  if (domain === "bounced.test") {
    return Effect.fail(new MailerRefused({ message: "550 5.1.1 The sandbox bounces addresses at bounced.test." }))
  }
  return Effect.succeed({ complained: domain === "complained.test" })
}
