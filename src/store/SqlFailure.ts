import { Cause, Predicate, Result } from "effect"
import { SqlError } from "effect/sql"
import { ApiError } from "../../schemas/ApiError.ts"

// Class 53 is a full disk, no memory, no connection left; 25006 a server that only reads. Such a statement has changed nothing.
const takesNothing = /^53|^25006$/

/**
 * SQL failures die inside the store. Where a request must be answered all the same, the client is told the truth: no
 * connection and no room are `service_unavailable`; anything else, a commit whose acknowledgement was lost among it, is
 * `internal_error` with `Svc-Should-Retry: true`, never a guess.
 */
export const apiErrorOf = (cause: Cause.Cause<unknown>): ApiError => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  const reason = SqlError.isSqlError(defect) ? defect.reason : undefined
  const unreachable = reason?._tag === "ConnectionError" && reason.operation === "connect"
  if (unreachable || takesNothing.test(sqlState(reason?.cause))) {
    const why = unreachable ? "cannot be reached" : "takes no changes"
    return new ApiError({
      code: "service_unavailable",
      message: `The database ${why} at the moment. Retry with the same Idempotency-Key: nothing is done twice.`,
      headers: { "Retry-After": "1", "Svc-Should-Retry": "true" }
    })
  }
  return new ApiError({
    code: "internal_error",
    message: "Something failed inside the service. Retry with the same Idempotency-Key: nothing is done twice.",
    headers: { "Svc-Should-Retry": "true" }
  })
}

/**
 * Whether it was the database that failed: that says nothing about the work at hand, and passes. A value or a constraint that
 * it refuses (classes 22 and 23) is no failure of the database: it will be refused again.
 */
export const isSqlFailure = (cause: Cause.Cause<unknown>): boolean => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(defect) && !/^2[23]/.test(sqlState(defect.reason.cause))
}

/** Whether the database takes no changes: its disk is full, or it only reads. */
export const refusesChanges = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Result.getOrUndefined(Cause.findError(cause)) ?? Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(failure) && /^(53100|25006)$/.test(sqlState(failure.reason.cause))
}

/** Whether the connection was lost, or there was none to be had: whatever is asked next will fare no better. */
export const isDisconnected = (cause: Cause.Cause<unknown>): boolean => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(defect) && defect.reason._tag === "ConnectionError"
}

/** Whether the work itself breaks and will break again: neither the database failed nor was it stopped. */
export const isDefect = (cause: Cause.Cause<unknown>): boolean =>
  !Cause.hasInterruptsOnly(cause) && !isSqlFailure(cause)

const sqlState = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")
