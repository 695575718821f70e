import { Clock, Effect } from "effect"
import { createHmac } from "node:crypto"
import { noticeSecret } from "../apps/TestSettings.ts"

/** The mail provider's signature headers of a notice, made `secondsAgo`, with this secret. */
export const noticeHeaders = Effect.fnUntraced(function* (body: string, secondsAgo = 0, secret = noticeSecret) {
  const t = Math.floor((yield* Clock.currentTimeMillis) / 1000) - secondsAgo
  const v1 = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex")
  return { authorization: undefined, "svc-signature": `t=${t},v1=${v1}` }
})
