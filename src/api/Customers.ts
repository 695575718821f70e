import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Customer, CustomerRequest, CustomerUpdate, DeletedCustomer } from "../../schemas/Customer.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import {
  Conventions,
  honouredKeyHeaders,
  IdempotencyKey,
  requiredKeyHeaders,
  Rules,
  versionHeader
} from "./Conventions.ts"
import { Errors } from "./Errors.ts"

const item = "/v1/customers/:id"
const params = { id: Schema.String.annotate({ description: "The id of the object." }) }
const update = { headers: honouredKeyHeaders, params, payload: CustomerUpdate, success: Customer }

export class CustomersApi extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.post("createCustomer", "/v1/customers", {
      headers: requiredKeyHeaders,
      payload: CustomerRequest,
      success: Customer.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "required")
      .annotate(Rules, "customer")
      .annotate(OpenApi.Summary, "Register an acquirer")
      .annotate(
        OpenApi.Description,
        "The id in the answer is the `customer_id` of invoices. Invoices to a customer with the identification 31 / 900000001 / 1 are always accepted in the sandbox."
      )
  )
  .add(
    HttpApiEndpoint.get("listCustomers", "/v1/customers", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(Customer, "CustomerPage")
    })
      .annotate(OpenApi.Summary, "List customers, newest first")
      .annotate(OpenApi.Description, "Go on with `starting_after`, the id of the last one, while `has_more` is true.")
  )
  .add(
    HttpApiEndpoint.get("retrieveCustomer", item, { headers: versionHeader, params, success: Customer })
      .annotate(OpenApi.Summary, "Retrieve a customer")
      .annotate(OpenApi.Description, "A customer of the other mode, or of another account, is not found.")
  )
  .add(
    HttpApiEndpoint.patch("updateCustomer", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(Rules, "customer")
      .annotate(OpenApi.Summary, "Change a customer; invoices that were issued stay as they are")
      .annotate(OpenApi.Description, "What is sent is changed, the rest stays.")
  )
  .add(
    HttpApiEndpoint.post("updateCustomerByPost", item, update)
      .annotate(IdempotencyKey, "honoured")
      .annotate(Rules, "customer")
      .annotate(OpenApi.Summary, "Change a customer: the same as PATCH")
      .annotate(OpenApi.Description, "For clients that cannot send PATCH.")
  )
  .add(
    HttpApiEndpoint.delete("deleteCustomer", item, {
      headers: versionHeader,
      params,
      success: DeletedCustomer
    })
      .annotate(OpenApi.Summary, "Delete a customer for good; its invoices stay whole")
      .annotate(OpenApi.Description, "It cannot be undone. Each invoice carries its own copy of the customer.")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Customers")
  .annotate(OpenApi.Description, "Buyers, called acquirers.") {}
