import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { CustomerUpdate } from "../../../schemas/Customer.ts"
import { CustomerId } from "../../../schemas/Id.ts"
import { Api } from "../../api/Api.ts"
import { Customers, customerView } from "../../store/accounts/Customers.ts"
import { makeAsk, makeAskAbout } from "../request/Ask.ts"
import { makeFind, makeIdOf, type Named } from "../request/Named.ts"
import { readPage } from "../request/Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customers",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const find = makeFind("customer", customers.find)
    const ask = yield* makeAsk
    const askAbout = yield* makeAskAbout(makeIdOf("customer", CustomerId))

    const update = ({ params, payload }: Named & { readonly payload: CustomerUpdate }) =>
      askAbout(params.id, (actor, about) => actor.UpdateCustomer({ ...about, patch: payload }))

    return handlers.handleAll({
      createCustomer: ({ payload }) => ask((actor, context) => actor.CreateCustomer({ context, request: payload })),
      listCustomers: ({ query }) => readPage("/v1/customers", query, customers.list, customerView),
      retrieveCustomer: ({ params }) => Effect.map(find(params.id), customerView),
      updateCustomer: update,
      updateCustomerByPost: update,
      deleteCustomer: ({ params }) => askAbout(params.id, (actor, about) => actor.DeleteCustomer(about))
    })
  })
)
