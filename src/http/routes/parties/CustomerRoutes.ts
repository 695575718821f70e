import { Effect, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../../schemas/ApiError.ts"
import type { CustomerQuery, CustomerUpdate } from "../../../../schemas/Customer.ts"
import { CustomerId } from "../../../../schemas/Id.ts"
import { Api } from "../../../api/Api.ts"
import { CurrentPrincipal } from "../../../api/Authorization.ts"
import { violation } from "../../../documents/rules/AuthorityRules.ts"
import { type CustomerFilter, Customers, customerView } from "../../../accounts/store/Customers.ts"
import { metadataMarks } from "../../../database/Keys.ts"
import { makeAsk, makeAskAbout } from "../../request/Ask.ts"
import * as BodyChecks from "../../request/BodyChecks.ts"
import { makeFind, makeIdOf, type Named, readPage } from "../../request/Paging.ts"
import { identificationOf, refuseOther } from "./Identified.ts"
import { validationOf } from "../../request/Validation.ts"
import { withBody } from "../../request/Pipeline.ts"

type Query = Schema.Struct.Type<typeof CustomerQuery>

const needed = (given: string, missing: string) =>
  ApiError.fromViolations([
    violation(missing, "parameter_missing", `${missing} is required together with ${given}.`, "identification_filter")
  ])

/** The customers that match a query. Fails if the query has only a part of an identification. */
const filterOf = ({ email, external_id, metadata, name, ...query }: Query): Effect.Effect<CustomerFilter, ApiError> => {
  const { "identification[number]": number, "identification[type]": type } = query
  if (type === undefined && number !== undefined) {
    return Effect.fail(needed("identification[number]", "identification[type]"))
  }
  if (type !== undefined && number === undefined) {
    return Effect.fail(needed("identification[type]", "identification[number]"))
  }
  return Effect.succeed({
    name: name?.trim() ?? null,
    external_id: external_id ?? null,
    marks: [
      ...(type === undefined || number === undefined ? [] : [{ _tag: "Identification", type, number } as const]),
      ...(email === undefined ? [] : [{ _tag: "Email", address: email } as const]),
      ...metadataMarks(metadata)
    ]
  })
}

export const layer = HttpApiBuilder.group(
  Api,
  "customers",
  Effect.fn(function* (handlers) {
    const checks = yield* BodyChecks.make
    const customers = yield* Customers
    const find = makeFind("customer", customers.find)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("customer", CustomerId))

    const update = ({ params, payload }: Named & { readonly payload: CustomerUpdate }) =>
      askAbout(params.id, (actor, about) => actor.UpdateCustomer({ ...about, patch: payload }))

    return withBody(handlers).handleAll({
      createCustomer: ({ payload }) => ask((actor, context) => actor.CreateCustomer({ context, request: payload })),
      validateCustomer: Effect.fn("validateCustomer")(function* ({ payload }) {
        return validationOf(yield* checks.whole("customer", yield* CurrentPrincipal, payload))
      }),
      listCustomers: Effect.fn("listCustomers")(function* ({ query }) {
        const filter = yield* filterOf(query)
        return yield* readPage(
          "/v1/customers",
          query,
          (principal, page) => customers.list(principal, page, filter),
          customerView
        )
      }),
      putCustomer: Effect.fn("putCustomer")(function* ({ params, payload }) {
        yield* refuseOther(yield* identificationOf("customer", params.id), payload.identification)
        return yield* ask((actor, context) => actor.PutCustomer({ context, request: payload }))
      }),
      retrieveCustomer: ({ params }) => Effect.map(find(params.id), customerView),
      updateCustomer: update,
      updateCustomerByPost: update,
      deleteCustomer: ({ params }) => askAbout(params.id, (actor, about) => actor.DeleteCustomer(about))
    })
  })
)
