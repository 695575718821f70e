import type { ErrorCode } from "../../../schemas/ErrorCode.ts"
import type { Sent } from "../../support/apps/Requests.ts"

/** A request that must be refused, with what its answer must say. */
export interface BadRequest {
  readonly name: string
  readonly code: ErrorCode
  readonly sent: Sent
  readonly message: RegExp
  readonly param: string | undefined
}

type Row = readonly [name: string, sent: Sent, message: RegExp, param?: string]

export const refused = (code: ErrorCode, rows: ReadonlyArray<Row>): ReadonlyArray<BadRequest> =>
  rows.map(([name, sent, message, param]) => ({ name, code, sent, message, param }))

export const get = (path: string, headers: Sent["headers"] = {}): Sent => ({ path, headers })

export const post = (path: string, body?: unknown, headers: Sent["headers"] = {}): Sent => ({
  method: "POST",
  path,
  body,
  headers
})

export const patch = (path: string, body: unknown): Sent => ({ method: "PATCH", path, body })

export const remove = (path: string): Sent => ({ method: "DELETE", path })

export const customer = (body: unknown, headers: Sent["headers"] = {}): Sent => post("/v1/customers", body, headers)
