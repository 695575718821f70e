import type { AuthorityTrouble } from "../../../../schemas/AuthorityTrouble.ts"
import { CallFailed } from "../../../runtime/HttpCall.ts"

/** An error of Node.js for a call without a response. */
interface ConnectionError {
  readonly code?: string
  readonly message?: string
  /** The error of each address, if the host has several and none accepted the connection. */
  readonly errors?: ReadonlyArray<ConnectionError>
}

const unresolved = ["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME", "ENODATA", "ESERVFAIL"]
const unreachable = [
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ENETDOWN",
  "EHOSTDOWN",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM",
  "EINVAL"
]
const untaken = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT"]

const notInTime = "it did not take the connection in time"

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it accepts no connections",
  ECONNRESET: "the connection broke before the response was complete",
  TOO_LARGE: "its response is too large",
  HPE_HEADER_OVERFLOW: "its response is too large",
  ABORT_ERR: "no response in time",
  ENOTFOUND: "its host has no address"
}

// If this machine has no route to one of the authority's addresses, for example over IPv6, returns the error of a
// reachable address.
const causeOf = (error: ConnectionError): ConnectionError =>
  error.errors?.find(({ code = "" }) => untaken.includes(code)) ?? error

/**
 * The trouble that an error means. Before a connection, nothing was sent: an error that is not about the name, the
 * network or the host is a TLS error. After the connection, the message may have left.
 */
export const connectionTrouble = (
  failure: unknown
): { readonly trouble: AuthorityTrouble; readonly message: string } => {
  const { cause, isConnecting } = failure instanceof CallFailed ? failure : { cause: failure, isConnecting: false }
  const { code = "", message = "unknown" } = causeOf(Object(cause) as ConnectionError)
  const said = reasons[code]
  if (!isConnecting) return { trouble: "no_answer", message: said ?? `no response (${code || message})` }
  if (unresolved.includes(code))
    return { trouble: "name_not_found", message: said ?? `its name cannot be found (${code})` }
  if (unreachable.includes(code)) return { trouble: "no_route", message: `there is no route to its host (${code})` }
  if (untaken.includes(code)) {
    const broke = code === "ECONNRESET" || code === "EPIPE"
    const why = broke ? "it closed the connection immediately" : (said ?? notInTime)
    return { trouble: "connection_refused", message: why }
  }
  return { trouble: "tls_failed", message: `no secure connection (${code || message})` }
}
