import { Cause, Predicate, Result } from "effect"
import { SqlError } from "effect/sql"
import { ApiError } from "../../schemas/ApiError.ts"

// SQLSTATE class 53: disk full, out of memory, too many connections. 25006: a read-only server. A statement that fails
// with one of these codes has changed nothing.
const takesNothing = /^53|^25006$/

// 57P01 to 57P05: a server that stops, has crashed or starts ends its sessions with these codes, and accepts no new
// sessions.
const sessionEnded = /^57P0[1-5]$/

const retry = "Retry with the same Idempotency-Key: nothing is done twice."

const sqlErrorOf = (cause: Cause.Cause<unknown>) => {
  const failure = Result.getOrUndefined(Cause.findDefect(cause)) ?? Result.getOrUndefined(Cause.findError(cause))
  return SqlError.isSqlError(failure) ? failure.reason : undefined
}

/** The database's trouble as the end of a sentence; undefined if the cause is not the database. */
const troubleOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const reason = sqlErrorOf(cause)
  if (reason === undefined) return undefined
  if (isRefusedSession(reason)) return "accepts no sessions at the moment"
  if (reason.operation === "connect") return "cannot be reached at the moment"
  if (takesNothing.test(sqlState(reason.cause))) return "accepts no changes at the moment"
  if (reason._tag === "StatementTimeoutError" || reason._tag === "LockTimeoutError") return "did not respond in time"
  return isDisconnected(cause) ? "closed the connection before it responded" : undefined
}

/**
 * Whether the server rejected a new session. Examples: a changed password (28P01), `allow_connections false` (55000), a
 * missing database (3D000), too many sessions (53300), a server that starts or stops (57P03).
 */
const isRefusedSession = (reason: SqlError.SqlErrorReason) =>
  reason.operation === "connect" && sqlState(reason.cause) !== ""

/** The server's message if it rejected a new session; undefined for any other cause. */
export const refusalOfSession = (cause: Cause.Cause<unknown>): string | undefined => {
  const reason = sqlErrorOf(cause)
  if (reason === undefined || !isRefusedSession(reason)) return undefined
  return Predicate.hasProperty(reason.cause, "message") ? String(reason.cause.message) : sqlState(reason.cause)
}

/**
 * The API error for a request that ended with a defect. SQL failures are defects inside the store.
 *
 * Failures of the database are `service_unavailable`: no connection or session, a broken connection, a statement that
 * exceeds its time, a full or a read-only database. The request may have had its effect; a retry returns the outcome.
 * All other defects are `internal_error` with `Svc-Should-Retry: true`.
 */
export const apiErrorOf = (cause: Cause.Cause<unknown>): ApiError => {
  const trouble = troubleOf(cause)
  return trouble === undefined
    ? new ApiError({
        code: "internal_error",
        message: `Something failed inside the service. ${retry}`,
        headers: { "Svc-Should-Retry": "true" }
      })
    : new ApiError({
        code: "service_unavailable",
        message: `The database ${trouble}. ${retry}`,
        headers: { "Retry-After": "1", "Svc-Should-Retry": "true" }
      })
}

/**
 * Whether the database failed. A database failure is temporary and independent of the work. A rejected value or a
 * violated constraint (SQLSTATE classes 22 and 23) is none: the database would reject the same statement again.
 */
export const isSqlFailure = (cause: Cause.Cause<unknown>): boolean => {
  const defect = Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(defect) && !/^2[23]/.test(sqlState(defect.reason.cause))
}

/** Whether the database rejected a change because its disk is full or it is read-only. */
export const refusesChanges = (cause: Cause.Cause<unknown>): boolean => {
  const failure = Result.getOrUndefined(Cause.findError(cause)) ?? Result.getOrUndefined(Cause.findDefect(cause))
  return SqlError.isSqlError(failure) && /^(53100|25006)$/.test(sqlState(failure.reason.cause))
}

/** Whether a statement exceeded its time. */
export const isStatementTimeout = (cause: Cause.Cause<unknown>): boolean =>
  sqlErrorOf(cause)?._tag === "StatementTimeoutError"

/** Whether the connection broke or could not be opened, so that the next statement would fail as well. */
export const isDisconnected = (cause: Cause.Cause<unknown>): boolean => {
  const reason = sqlErrorOf(cause)
  return (
    reason?._tag === "ConnectionError" || reason?.operation === "connect" || sessionEnded.test(sqlState(reason?.cause))
  )
}

/** Whether a statement violated the constraint with this name. */
export const violates =
  (constraint: string) =>
  (cause: Cause.Cause<unknown>): boolean => {
    const violated = sqlErrorOf(cause)?.cause
    return Predicate.hasProperty(violated, "constraint") && violated.constraint === constraint
  }

/** Whether the work itself failed and would fail again: the cause is neither a database failure nor an interruption. */
export const isDefect = <E>(cause: Cause.Cause<E>): boolean => !Cause.hasInterruptsOnly(cause) && !isSqlFailure(cause)

const sqlState = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")
