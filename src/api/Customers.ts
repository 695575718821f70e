import { Customer, CustomerQuery, CustomerRequest, CustomerUpdate, DeletedCustomer } from "../../schemas/Customer.ts"
import { Page } from "../../schemas/Page.ts"
import { Validation } from "../../schemas/Validation.ts"
import {
  created,
  get,
  group,
  identificationParams,
  insteadOfPatch,
  nextPage,
  params,
  patch,
  post,
  postKeyless,
  postOnce,
  put,
  remove
} from "./Endpoint.ts"

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
      "Send the id of the customer as `customer_id` of its invoices. In the sandbox, invoices to a customer whose identification is type 31, number 900000001, check digit 1 are always accepted.",
    handling: { creation: true, rules: "customer", checkedAs: "customer" }
  }),
  postKeyless("validateCustomer", "/v1/customers/validate", {
    payload: CustomerRequest,
    success: Validation,
    summary: "Check a customer without creating it",
    description:
      "The body is that of a customer to register, and is checked against the same rules. Nothing is stored. `errors` is empty when `valid` is true.",
    handling: { judged: true, creation: true, rules: "customer", checkedAs: "customer" }
  }),
  get("listCustomers", "/v1/customers", {
    query: CustomerQuery,
    success: Page(Customer, "CustomerPage"),
    summary: "List customers, newest first, or find some",
    description: `With a parameter besides those of pages, the customers that fit all of them. ${nextPage}`
  }),
  put("putCustomer", item, {
    params: identificationParams,
    payload: CustomerRequest,
    success: [Customer, created(Customer)],
    summary: "Register or replace the customer with an identification",
    description:
      "Answers 201 for a new customer, and 200 for one that is replaced: it keeps its id, and what the body leaves out is removed. `identification` in the body must be the one of the path. Two customers with this identification are answered with 409, which names both.",
    handling: { rules: "customer", checkedAs: "customer" }
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
      "The fields in the body are changed, and all other fields stay. Documents that were created before keep their copy of the customer.",
    handling: { rules: "customer" }
  }),
  post("updateCustomerByPost", item, {
    ...update,
    summary: "Change a customer: the same as PATCH",
    description: insteadOfPatch,
    handling: { rules: "customer" }
  }),
  remove("deleteCustomer", item, {
    params,
    success: DeletedCustomer,
    summary: "Delete a customer; its documents stay",
    description: "A deletion cannot be undone. Documents keep their own copy of the customer."
  })
) {}
