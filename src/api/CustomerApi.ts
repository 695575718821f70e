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
  "Buyers of invoices. The tax authority calls them acquirers.",
  postOnce("createCustomer", "/v1/customers", {
    payload: CustomerRequest,
    success: created(Customer),
    summary: "Create a customer",
    description:
      "Creates a customer, the buyer of invoices. Send its id as `customer_id` in invoices. In the sandbox, the simulated authority always accepts invoices to the identification with type 31, number 900000001 and check digit 1.",
    handling: { creation: true, rules: "customer", checkedAs: "customer" }
  }),
  postKeyless("validateCustomer", "/v1/customers/validate", {
    payload: CustomerRequest,
    success: Validation,
    summary: "Validate a customer",
    description:
      "Checks the body of a new customer by the same rules as its creation and stores nothing. Send the same body as to create a customer. `errors` is empty if `valid` is true.",
    handling: { validates: true, creation: true, rules: "customer", checkedAs: "customer" }
  }),
  get("listCustomers", "/v1/customers", {
    query: CustomerQuery,
    success: Page(Customer, "CustomerPage"),
    summary: "List customers",
    description: `Lists customers, newest first. With filters, it lists the customers that match all of them. ${nextPage}`
  }),
  put("putCustomer", item, {
    params: identificationParams,
    payload: CustomerRequest,
    success: [Customer, created(Customer)],
    summary: "Create or replace a customer",
    description:
      "Creates the customer with the identification in the path and returns 201, or replaces it and returns 200. A replaced customer keeps its id; fields that the body omits are removed. `identification` in the body must match the path. If two customers have this identification, Folio returns 409 and names both.",
    handling: { rules: "customer", checkedAs: "customer" }
  }),
  get("retrieveCustomer", item, {
    params,
    success: Customer,
    summary: "Retrieve a customer",
    description: "Returns a customer. For a customer of the other mode or of another account, Folio returns 404."
  }),
  patch("updateCustomer", item, {
    ...update,
    summary: "Update a customer",
    description:
      "Changes the fields in the body and keeps all other fields. Existing documents keep their copy of the customer.",
    handling: { rules: "customer" }
  }),
  post("updateCustomerByPost", item, {
    ...update,
    summary: "Update a customer (POST)",
    description: insteadOfPatch,
    handling: { rules: "customer" }
  }),
  remove("deleteCustomer", item, {
    params,
    success: DeletedCustomer,
    summary: "Delete a customer",
    description: "Deletes a customer. You cannot undo a deletion. Documents keep their own copy of the customer."
  })
) {}
