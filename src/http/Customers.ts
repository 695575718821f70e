import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { Customers, customerView } from "../store/Customers.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "customers",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const ask = yield* makeAsk
    return handlers.handleAll({
      createCustomer: ({ payload }) => ask((account, context) => account.CreateCustomer({ context, request: payload })),
      listCustomers: Effect.fn("listCustomers")(function* ({ query }) {
        const rows = yield* customers.list(yield* CurrentPrincipal, yield* pageRequest(query))
        return pageView("/v1/customers", rows, customerView)
      }),
      retrieveCustomer: Effect.fn("retrieveCustomer")(function* ({ params }) {
        const row = yield* customers.find(yield* CurrentPrincipal, params.id)
        return customerView(
          yield* Effect.mapError(Effect.fromOption(row), () => ApiError.missing("customer", params.id))
        )
      })
    })
  })
)
