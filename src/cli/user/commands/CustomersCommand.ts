import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Customer } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { textOf } from "../FileOutput.ts"
import { Misuse } from "../Failures.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../Output.ts"
import { type Column, fieldLines, type Paint } from "../Table.ts"
import { clock } from "../Times.ts"

const customer = Flags.argument("customer", "Customer id, cust_…")
const path = (id: string) => `/v1/customers/${encodeURIComponent(id)}`

const identificationOf = ({ identification: { check_digit, number } }: Customer) =>
  check_digit === undefined ? number : `${number}-${check_digit}`

const columns: ReadonlyArray<Column<Customer>> = [
  // First, so that a narrow terminal shows it too: other commands and invoices take a customer's id.
  ["ID", ({ id }) => id, "whole"],
  ["NUMBER", identificationOf],
  ["NAME", ({ legal_name }) => legal_name],
  ["EMAIL", ({ email }) => email]
]

const lines = (one: Customer) => (paint: Paint) => [
  paint.bold(one.legal_name),
  ...fieldLines(
    [
      ["id", one.id],
      ["external id", one.external_id],
      ["number", `${identificationOf(one)} (type ${one.identification.type})`],
      ["email", one.email],
      ["address", one.address],
      ["city", one.city_code],
      ["country", one.country_code],
      ["created", clock(one.created_at)],
      ["changed", clock(one.updated_at)],
      ...Object.entries(one.metadata).map(([name, value]) => [`metadata.${name}`, value] as const)
    ],
    paint,
    11
  )
]

const print = (one: Customer) => Effect.flatMap(Output, (output) => output.one(one, lines(one)))

const list = Command.make(
  "list",
  Flags.amount,
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const all = api.all("customers", "allCustomers", { query: { limit: Flags.pageOf(flags) } })
    yield* (yield* Output).list(Flags.asked(flags)(all), columns, "This mode has no customers.")
  })
).pipe(Flags.described("List customers, newest first", "folio customers list --all --json > customers.ndjson"))

/** Splits `31-900000001` into type and number. */
const identified = (text: string) => {
  const [type = "", ...number] = text.split("-")
  return { "identification[type]": type, "identification[number]": number.join("-") }
}

const find = Command.make(
  "find",
  {
    ...Flags.amount,
    identification: Flags.text(
      "identification",
      "TYPE-NUMBER",
      "Only with this identification, for example 31-900000001"
    ),
    externalId: Flags.text("external-id", "ID", "Only with this external id: your own reference"),
    email: Flags.text("email", "ADDRESS", "Only with this email address"),
    name: Flags.text("name", "TEXT", "Only with this text in a name; ignores accents, case")
  },
  Effect.fnUntraced(function* (flags) {
    const { email, externalId: external_id, identification, name } = flags
    if ([email, external_id, identification, name].every((filter) => filter === undefined)) {
      return yield* new Misuse({
        message: "A filter is missing: give --identification, --external-id, --email, --name, or several of them."
      })
    }
    const query: Record<string, string | number> = {
      limit: Flags.pageOf(flags),
      ...(identification === undefined ? {} : identified(identification)),
      ...(external_id === undefined ? {} : { external_id }),
      ...(email === undefined ? {} : { email }),
      ...(name === undefined ? {} : { name })
    }
    const found = (yield* Api).all("customers", "allCustomers", { query })
    yield* (yield* Output).list(Flags.asked(flags)(found), columns, "No customer of this mode matches.")
  })
).pipe(
  Flags.described(
    "Find customers by identification, external id, email address or name",
    "folio customers find --name muñoz",
    "folio customers find --identification 31-900000001 --json"
  )
)

const get = Command.make(
  "get",
  { customer },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    yield* print(yield* api.call("customers", "retrieveCustomer", { params: { id: flags.customer } }))
  })
).pipe(Flags.described("Show a customer", "folio customers get cust_…"))

const create = Command.make(
  "create",
  { file: Flags.file("The customer"), key: Flags.idempotencyKey },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const body = yield* textOf(flags.file)
    yield* print(yield* api.json<Customer>({ method: "POST", path: "/v1/customers", body, key: flags.key }))
  })
).pipe(Flags.described("Register a customer, the buyer of invoices", "folio customers create -f customer.json"))

const update = Command.make(
  "update",
  { customer, file: Flags.file("The fields to change"), key: Flags.idempotencyKey },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const body = yield* textOf(flags.file)
    yield* print(yield* api.json<Customer>({ method: "PATCH", path: path(flags.customer), body, key: flags.key }))
  })
).pipe(
  Flags.described(
    "Change fields of a customer; existing documents keep their copy",
    `echo '{"email": "new@example.com"}' | folio customers update cust_… -f -`
  )
)

const remove = Command.make(
  "delete",
  { customer },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const deleted = yield* api.call("customers", "deleteCustomer", { params: { id: flags.customer } })
    yield* (yield* Output).one(deleted, () => [`${deleted.id} is deleted.`])
  })
).pipe(Flags.described("Delete a customer; existing documents keep their copy", "folio customers delete cust_…"))

export const customers = Command.make("customers").pipe(
  Command.withDescription("List, find, show, register, change and delete customers"),
  Command.withSubcommands([list, find, get, create, update, remove]),
  Command.withExamples([{ command: "folio customers list" }])
)
