import { Cause, Predicate, Result } from "effect"
import { SqlError } from "effect/sql"
import { ApiError } from "../../../schemas/ApiError.ts"

// SQLSTATE class 53: disk full, out of memory, too many connections. 25006: a read-only server. A statement that fails so has
// changed nothing.
const takesNothing = /^53|^25006$/

/**
 * The API error for a request whose cause is a defect; SQL failures are defects inside the store. No connection, a full database
 * and a read-only server are `service_unavailable`. Anything else, including a commit whose acknowledgement was lost, is
 * `internal_error` with `Svc-Should-Retry: true`, because the outcome is unknown.
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
 * Whether the database failed: such a failure is temporary and says nothing about the work at hand. A refused value or a violated
 * constraint (SQLSTATE classes 22 and 23) is no failure of the database, which would refuse the same statement again.
 */
export const isSqlFailure = (cause: Cause.Cause<unknown>): boolean => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(defect) && !/^2[23]/.test(sqlState(defect.reason.cause))
}

/** Whether the database refuses changes because its disk is full or it is read-only. */
export const refusesChanges = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Result.getOrUndefined(Cause.findError(cause)) ?? Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(failure) && /^(53100|25006)$/.test(sqlState(failure.reason.cause))
}

/** Whether the connection was lost or could not be opened: the next statement would fail as well. */
export const isDisconnected = (cause: Cause.Cause<unknown>): boolean => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(defect) && defect.reason._tag === "ConnectionError"
}

/** Whether the work itself fails and would fail again: the cause is neither a database failure nor an interruption. */
export const isDefect = (cause: Cause.Cause<unknown>): boolean =>
  !Cause.hasInterruptsOnly(cause) && !isSqlFailure(cause)

const sqlState = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")
