import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { documentKinds, kindOf } from "../../../schemas/DocumentKinds.ts"
import { AuthorityRefusal } from "../../../src/invoices/authority/Authority.ts"
import { account } from "../../support/apps/Accounts.ts"
import { customerBody, invoiceBody } from "../../support/apps/Invoices.ts"
import { accepted, FakeAuthority, rejected } from "../../support/apps/Fakes.ts"
import { get, post } from "../../support/apps/Requests.ts"
import { until } from "../../support/apps/Until.ts"
import { seedDrafts } from "../../support/database/Owners.ts"

/** A customer of the account with this name. */
export const customerNamed = (legal_name: string, more: object = {}) =>
  Effect.map(post("/v1/customers", { ...customerBody("900123456"), legal_name, ...more }), ({ json, text }) => {
    assert.isString(json.id, text)
    return json.id as string
  })

const pathOf = (id: string) => `${documentKinds[kindOf(id)].path}/${id}`

/** Waits until a document has its outcome, and returns it. */
export const settled = (id: string) =>
  Effect.map(
    until(get(pathOf(id)), ({ json }) => json.status !== "draft"),
    ({ json }) => json
  )

/** A draft that stays a draft until the account's next invoice is created. */
export const draftOf = Effect.map(seedDrafts(account, 1), ([id = ""]) => id)

type Submit = FakeAuthority["Service"]["onSubmit"]

/** Creates an invoice, and waits for its outcome after this response of the authority, which then accepts again. */
export const invoiceOf = Effect.fnUntraced(function* (
  customer: string,
  more: object = {},
  answer: ReturnType<Submit> = Effect.succeed(accepted)
) {
  const authority = yield* FakeAuthority
  authority.onSubmit = () => answer
  const made = yield* post("/v1/invoices", { ...invoiceBody(customer), ...more })
  assert.strictEqual(made.status, 202, made.text)
  const shown = yield* settled(made.json.id)
  authority.onSubmit = () => Effect.succeed(accepted)
  return shown
})

export const rejectedOf = (customer: string, more: object = {}) => invoiceOf(customer, more, Effect.succeed(rejected))

/** An invoice that failed because the authority rejected the call. */
export const failedOf = (customer: string) =>
  invoiceOf(customer, {}, Effect.fail(new AuthorityRefusal({ message: "Not allowed. Ask." })))
