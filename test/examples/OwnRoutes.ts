/*
 * The service with a route of the team in the same server. The team's shop creates a test account at each sign-up:
 *
 *   SHOP_TOKEN=… node OwnRoutes.ts
 */
import { callAs, createAccount, limitedByAddress, main } from "@folio-einvoicing/service"
import { ApiError, NationalProfile } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer, Redacted, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash, timingSafeEqual } from "node:crypto"

const SignUp = Schema.Struct({
  company: Schema.NonEmptyString.check(Schema.isMaxLength(450)),
  email: Schema.String.check(Schema.isPattern(/^[^\s@]+@[^\s@]+\.[a-z]+$/)),
  tax_number: Schema.String.check(Schema.isPattern(/^\d{9}$/)),
  check_digit: Schema.String.check(Schema.isPattern(/^\d$/))
})

const hashed = (text: string) => createHash("sha256").update(text).digest()

const badForm = new ApiError({ code: "parameter_invalid", message: "Send company, email, tax_number and check_digit." })
const notTheShop = new ApiError({ code: "invalid_api_key", message: "Only our shop may sign up accounts." })

const signUp = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const token = hashed(`Bearer ${Redacted.value(yield* Config.Redacted("SHOP_TOKEN"))}`)
    const { sandbox } = yield* NationalProfile

    const handler = Effect.gen(function* () {
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      if (!timingSafeEqual(token, hashed(headers["authorization"] ?? ""))) return yield* notTheShop
      const form = yield* HttpServerRequest.schemaBodyJson(SignUp).pipe(Effect.mapError(() => badForm))
      const identification = { type: "31", number: form.tax_number, check_digit: form.check_digit } as const
      const issuer = { ...sandbox.issuer, legal_name: form.company, email: form.email, identification }
      // If the issuer breaks the rules of the country, this fails with the violations, and the client gets a 400.
      const { account, key } = yield* createAccount(form.company, issuer, "test")
      // A request to /v1 for the new account, inside this process.
      const first = yield* callAs(account, {
        method: "POST",
        url: "/v1/customers",
        headers: { "idempotency-key": "first customer" },
        body: JSON.stringify(sandbox.customer)
      })
      const location = first.headers.get("location")
      return HttpServerResponse.jsonUnsafe({ account: account.account_id, key, customer: location }, { status: 201 })
    })

    // `createAccount` and `callAs` require the service's stores, which are available when the layer is built.
    const stores =
      yield* Effect.context<Effect.Services<ReturnType<typeof createAccount> | ReturnType<typeof callAs>>>()
    yield* router.add("POST", "/own/sign-up", Effect.provide(handler, stores))
  })
)

main({ routes: signUp.pipe(Layer.provide(limitedByAddress)) })
