import { assert } from "@effect/vitest"
import { Result } from "effect"
import { Webhook } from "standardwebhooks"
import { Stripe } from "stripe"
import { Webhook as SvixWebhook } from "svix"
import type { Received } from "./Receiver.ts"

const passes = (verify: () => unknown) => Result.isSuccess(Result.try(verify))

/** Whether the stock verifiers accept the POST as signed with `secret`; all must agree. */
export const isSignedWith = (secret: string, { body, headers }: Pick<Received, "body" | "headers">): boolean => {
  const stripe = passes(() => Stripe.webhooks.constructEvent(body, headers["svc-signature"] ?? "", secret))
  const standard = passes(() => new Webhook(secret).verify(body, headers))
  const svix = passes(() => new SvixWebhook(secret).verify(body, headers))
  assert.deepStrictEqual([standard, svix], [stripe, stripe])
  return stripe
}
