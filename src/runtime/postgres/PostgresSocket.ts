import { Context, Redacted } from "effect"
import * as Net from "node:net"

/**
 * Maximum silence of a server in milliseconds. Statements take ten seconds at most, and idle connections are closed
 * earlier. After a longer silence, the server or the network path is down, which TCP alone would report only after a
 * quarter of an hour.
 */
export class Silence extends Context.Reference<number>("folio/runtime/postgres/PostgresSocket/Silence", {
  defaultValue: () => 15_000
}) {}

/** The address of a server, in the forms that the driver accepts. */
type Address = { readonly url: Redacted.Redacted<string> } | { readonly host: string; readonly port: number }

const addressOf = (address: Address): Net.NetConnectOpts => {
  if (!("url" in address)) return { host: address.host, port: address.port }
  const url = new URL(Redacted.value(address.url))
  const named = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1")
  const host = url.searchParams.get("host") ?? (named === "" ? "localhost" : named)
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/**
 * Makes a function that opens connections, and one that counts the open ones. A connection breaks when the server has
 * been silent for `silenceMs`.
 */
export const open = (server: Address, silenceMs: number) => {
  const address = addressOf(server)
  let count = 0
  const connect = (): Net.Socket => {
    const socket = Net.connect({ ...address, noDelay: true })
    count++
    socket.once("close", () => count--)
    return socket.setTimeout(silenceMs, () =>
      socket.destroy(new Error(`PostgreSQL has been silent for ${silenceMs / 1000} s`))
    )
  }
  return { connect, count: () => count }
}
