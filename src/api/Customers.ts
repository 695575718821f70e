import { Customer, CustomerRequest, CustomerUpdate, DeletedCustomer } from "../../schemas/Customer.ts"
import { Page, PageQuery } from "../../schemas/Page.ts"
import { Rules } from "./Conventions.ts"
import { created, get, group, insteadOfPatch, nextPage, params, patch, post, postOnce, remove } from "./Endpoint.ts"

const item = "/v1/customers/:id"
const update = { params, payload: CustomerUpdate, success: Customer }

export class CustomersApi extends group(
  "customers",
  "Customers",
  "The buyers of invoices, whom the tax authority calls acquirers.",
  postOnce("createCustomer", "/v1/customers", {
    payload: CustomerRequest,
    success: created(Customer),
    summary: "Register a customer, the buyer of invoices",
    description:
      "Send the id of the customer as `customer_id` of its invoices. In the sandbox, invoices to a customer whose identification is type 31, number 900000001, check digit 1 are always accepted."
  }).annotate(Rules, "customer"),
  get("listCustomers", "/v1/customers", {
    query: PageQuery,
    success: Page(Customer, "CustomerPage"),
    summary: "List customers, newest first",
    description: nextPage
  }),
  get("retrieveCustomer", item, {
    params,
    success: Customer,
    summary: "Retrieve a customer",
    description: "A customer of the other mode or of another account is answered with 404."
  }),
  patch("updateCustomer", item, {
    ...update,
    summary: "Change a customer",
    description:
      "The fields in the body are changed, and all other fields stay. Documents that were created before keep their copy of the customer."
  }).annotate(Rules, "customer"),
  post("updateCustomerByPost", item, {
    ...update,
    summary: "Change a customer: the same as PATCH",
    description: insteadOfPatch
  }).annotate(Rules, "customer"),
  remove("deleteCustomer", item, {
    params,
    success: DeletedCustomer,
    summary: "Delete a customer; its documents stay",
    description: "A deletion cannot be undone. Documents keep their own copy of the customer."
  })
) {}
