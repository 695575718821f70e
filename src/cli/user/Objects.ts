interface Kept {
  /** The API path of the objects. */
  readonly path: string
  /** The portal page of an object. */
  readonly page?: string
}

/** The API's objects, by id prefix. */
const objects: Readonly<Record<string, Kept>> = {
  inv: { path: "/v1/invoices", page: "documents" },
  cn: { path: "/v1/credit-notes", page: "documents" },
  dn: { path: "/v1/debit-notes", page: "documents" },
  evt: { path: "/v1/events", page: "events" },
  req: { path: "/v1/requests", page: "requests" },
  aud: { path: "/v1/audit-log" },
  ntc: { path: "/v1/notices" },
  cust: { path: "/v1/customers", page: "customers" },
  we: { path: "/v1/webhook-endpoints", page: "endpoints" },
  whd: { path: "/v1/webhook-deliveries" },
  res: { path: "/v1/resolutions" },
  key: { path: "/v1/api-keys" },
  ps: { path: "/v1/portal-sessions" }
}

const form = /^([a-z]+)_[0-9a-z]{26}$/

/** Whether a text has the form of an id. */
export const isId = (text: string): boolean => form.test(text)

/** The object type of an id; undefined for a text that is not an id of the API. */
export const objectOf = (text: string): Kept | undefined => objects[form.exec(text)?.[1] ?? ""]
