import type { AuthorityTrouble } from "../../../../schemas/AuthorityTrouble.ts"
import { CallFailed } from "../../HttpCall.ts"

/** An error of Node.js, as it reports a call that got no answer. */
interface ConnectionError {
  readonly code?: string
  readonly message?: string
  /** What each address of the host said, where it has several and none took the connection. */
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
  ECONNREFUSED: "it takes no connections",
  ECONNRESET: "the connection broke before its answer was here",
  TOO_LARGE: "its answer is too large",
  HPE_HEADER_OVERFLOW: "its answer is too large",
  ABORT_ERR: "no answer in time",
  ENOTFOUND: "its host has no address"
}

// A host that has no way to one address of the authority, such as that of IPv6, is answered for by the address that it reaches.
const tellingOf = (error: ConnectionError): ConnectionError =>
  error.errors?.find(({ code = "" }) => untaken.includes(code)) ?? error

/**
 * What an error of a call says: before there was a connection nothing has left, and whatever is neither the name, the network nor the
 * authority's host is the secure connection (TLS); once there was a connection, the message may have left.
 */
export const connectionTrouble = (
  failure: unknown
): { readonly trouble: AuthorityTrouble; readonly message: string } => {
  const { cause, isConnecting } = failure instanceof CallFailed ? failure : { cause: failure, isConnecting: false }
  const { code = "", message = "unknown" } = tellingOf(Object(cause) as ConnectionError)
  const said = reasons[code]
  if (!isConnecting) return { trouble: "no_answer", message: said ?? `no answer (${code || message})` }
  if (unresolved.includes(code))
    return { trouble: "name_not_found", message: said ?? `its name cannot be found (${code})` }
  if (unreachable.includes(code)) return { trouble: "no_route", message: `there is no way to its host (${code})` }
  if (untaken.includes(code)) {
    const broke = code === "ECONNRESET" || code === "EPIPE"
    const why = broke ? "it broke off the connection at once" : (said ?? notInTime)
    return { trouble: "connection_refused", message: why }
  }
  return { trouble: "tls_failed", message: `no secure connection (${code || message})` }
}
