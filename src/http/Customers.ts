import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../schemas/ApiError.ts"
import type { CustomerUpdate } from "../../schemas/Customer.ts"
import { CustomerId } from "../../schemas/Id.ts"
import { Api } from "../api/Api.ts"
import { CurrentPrincipal } from "../api/Authorization.ts"
import { Customers, customerView } from "../store/Customers.ts"
import { makeAsk } from "./Ask.ts"
import { pageRequest, pageView } from "./Paging.ts"

const missing = (id: string) => ApiError.missing("customer", id)

// An id of another form names nothing; the actor need not be asked.
const customerId = (id: string) => Effect.mapError(Schema.decodeEffect(CustomerId)(id), () => missing(id))

export const layer = HttpApiBuilder.group(
  Api,
  "customers",
  Effect.fn(function* (handlers) {
    const customers = yield* Customers
    const ask = yield* makeAsk

    const update = Effect.fn("updateCustomer")(function* (request: {
      readonly params: { readonly id: string }
      readonly payload: CustomerUpdate
    }) {
      const id = yield* customerId(request.params.id)
      return yield* ask((account, context) => account.UpdateCustomer({ context, id, patch: request.payload }))
    })

    return handlers.handleAll({
      createCustomer: ({ payload }) => ask((account, context) => account.CreateCustomer({ context, request: payload })),
      listCustomers: Effect.fn("listCustomers")(function* ({ query }) {
        const rows = yield* customers.list(yield* CurrentPrincipal, yield* pageRequest(query))
        return pageView("/v1/customers", rows, customerView)
      }),
      retrieveCustomer: Effect.fn("retrieveCustomer")(function* ({ params }) {
        const row = yield* customers.find(yield* CurrentPrincipal, params.id)
        return customerView(yield* Effect.mapError(Effect.fromOption(row), () => missing(params.id)))
      }),
      updateCustomer: update,
      updateCustomerByPost: update,
      deleteCustomer: Effect.fn("deleteCustomer")(function* ({ params }) {
        const id = yield* customerId(params.id)
        return yield* ask((account, context) => account.DeleteCustomer({ context, id }))
      })
    })
  })
)
