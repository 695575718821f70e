import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Customer, CustomerRequest } from "../../schemas/Customer.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Authorization } from "./Authorization.ts"
import { Conventions, IdempotencyKey, requiredKeyHeaders, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

export class CustomersApi extends HttpApiGroup.make("customers")
  .add(
    HttpApiEndpoint.post("createCustomer", "/v1/customers", {
      headers: requiredKeyHeaders,
      payload: CustomerRequest,
      success: Customer.pipe(HttpApiSchema.status(201))
    })
      .annotate(IdempotencyKey, "required")
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
    HttpApiEndpoint.get("retrieveCustomer", "/v1/customers/:id", {
      headers: versionHeader,
      params: { id: Schema.String.annotate({ description: "The id of the object." }) },
      success: Customer
    })
      .annotate(OpenApi.Summary, "Retrieve a customer")
      .annotate(OpenApi.Description, "A customer of the other mode, or of another account, is not found.")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Customers")
  .annotate(OpenApi.Description, "Buyers, called acquirers.") {}
