import { Cause, Predicate, Result } from "effect"
import { SqlError } from "effect/sql"
import { ApiError } from "../../../schemas/ApiError.ts"

// SQLSTATE class 53: disk full, out of memory, too many connections. 25006: a read-only server. A statement that fails
// so has changed nothing.
const takesNothing = /^53|^25006$/

// A server that stops, has crashed or still starts ends its sessions with these (57P01 to 57P05), and takes no new
// ones.
const sessionEnded = /^57P0[1-5]$/

const retry = "Retry with the same Idempotency-Key: nothing is done twice."

const sqlErrorOf = (cause: Cause.Cause<unknown>) => {
  const failure = Result.getOrUndefined(Cause.findDefect(cause)) ?? Result.getOrUndefined(Cause.findError(cause))
  return SqlError.isSqlError(failure) ? failure.reason : undefined
}

/** Why the database does not carry out what was asked, in words; undefined: it is not the database. */
const troubleOf = (cause: Cause.Cause<unknown>): string | undefined => {
  const reason = sqlErrorOf(cause)
  if (reason === undefined) return undefined
  if (isRefusedSession(reason)) return "takes no sessions at the moment"
  if (reason.operation === "connect") return "cannot be reached at the moment"
  if (takesNothing.test(sqlState(reason.cause))) return "takes no changes at the moment"
  if (reason._tag === "StatementTimeoutError" || reason._tag === "LockTimeoutError") return "did not answer in time"
  return isDisconnected(cause) ? "broke off before it had answered" : undefined
}

/**
 * Whether the server answered the start of a session with an error, such as a changed password (28P01),
 * `allow_connections false` (55000), a missing database (3D000), too many sessions (53300), or a server that starts or
 * stops (57P03).
 */
const isRefusedSession = (reason: SqlError.SqlErrorReason) =>
  reason.operation === "connect" && sqlState(reason.cause) !== ""

/** The words of the server with which it refuses sessions; undefined: the cause is another. */
export const refusalOfSession = (cause: Cause.Cause<unknown>): string | undefined => {
  const reason = sqlErrorOf(cause)
  if (reason === undefined || !isRefusedSession(reason)) return undefined
  return Predicate.hasProperty(reason.cause, "message") ? String(reason.cause.message) : sqlState(reason.cause)
}

/**
 * The API error for a request whose cause is a defect; SQL failures are defects inside the store. No connection, a
 * refused session, a connection that breaks, a statement that exceeds its time, a full database and a read-only server
 * are `service_unavailable`: what was asked may have been done, and a retry finds out. Anything else is
 * `internal_error` with `Svc-Should-Retry: true`.
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
 * Whether the database failed: such a failure is temporary and says nothing about the work at hand. A refused value or
 * a violated constraint (SQLSTATE classes 22 and 23) is no failure of the database, which would refuse the same
 * statement again.
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

/** Whether a statement took longer than it may. */
export const isStatementTimeout = (cause: Cause.Cause<unknown>): boolean =>
  sqlErrorOf(cause)?._tag === "StatementTimeoutError"

/** Whether the connection was lost or could not be opened: the next statement would fail as well. */
export const isDisconnected = (cause: Cause.Cause<unknown>): boolean => {
  const reason = sqlErrorOf(cause)
  return (
    reason?._tag === "ConnectionError" || reason?.operation === "connect" || sessionEnded.test(sqlState(reason?.cause))
  )
}

/** Whether the work itself fails and would fail again: the cause is neither a database failure nor an interruption. */
export const isDefect = <E>(cause: Cause.Cause<E>): boolean => !Cause.hasInterruptsOnly(cause) && !isSqlFailure(cause)

const sqlState = (cause: unknown) => (Predicate.hasProperty(cause, "code") ? String(cause.code) : "")
