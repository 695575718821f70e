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
  )
  .add(
    HttpApiEndpoint.get("listCustomers", "/v1/customers", {
      headers: versionHeader,
      query: PageQuery,
      success: Page(Customer, "CustomerPage")
    }).annotate(OpenApi.Summary, "List customers, newest first")
  )
  .add(
    HttpApiEndpoint.get("retrieveCustomer", "/v1/customers/:id", {
      headers: versionHeader,
      params: { id: Schema.String },
      success: Customer
    }).annotate(OpenApi.Summary, "Retrieve a customer")
  )
  .middleware(Conventions)
  .middleware(Authorization)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Customers") {}
