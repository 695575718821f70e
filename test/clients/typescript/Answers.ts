import type { Customer, CustomerRequest } from "@folio-einvoicing/client"

/* Responses of a service to a client under test. */

export interface Said {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const customerRequest: CustomerRequest = {
  identification: { type: "31", number: "900000001", check_digit: "1" },
  legal_name: "Cliente de Prueba S.A.S.",
  organization_type: "1"
}

export const customer: Customer = {
  ...customerRequest,
  id: `cust_${"a".repeat(26)}`,
  object: "customer",
  livemode: false,
  metadata: {},
  external_id: null,
  created_at: "2026-11-21T10:00:00.000-05:00",
  updated_at: "2026-11-21T10:00:00.000-05:00"
}

export const created: Said = { status: 201, body: customer }

export const refusal = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Said => ({
  status,
  headers,
  body: { error: { type: "api_error", code, message: "No.", doc_url: "", request_id: "req_1" } }
})

export const page = (name: string, data: ReadonlyArray<object>, has_more = false): Said => ({
  status: 200,
  body: { object: "list", url: `/v1/${name}`, has_more, data }
})

/** All objects of a list. */
export const collected = async <A>(list: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const one of list) all.push(one)
  return all
}
