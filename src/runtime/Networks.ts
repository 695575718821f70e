import { Result } from "effect"
import type { IpNetwork } from "effect/net"
import { networkIn } from "../../schemas/Network.ts"

const words: Readonly<Record<string, ReadonlyArray<string>>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
}

const networkFrom = (text: string): Result.Result<IpNetwork.IpNetwork, string> => {
  const network = networkIn(text)
  if (network === undefined) {
    return Result.fail(
      `"${text}" is not an address or a range. Write 10.0.0.5, 10.1.0.0/16 or fd00::/8, separated by commas, or the words loopback and private.`
    )
  }
  return network.prefixLength === 0
    ? Result.fail(
        `${text} trusts every client, and each could then claim any address. Write the addresses of the proxies.`
      )
    : Result.succeed(network)
}

/**
 * The networks in a text: addresses and ranges, separated by commas, and the words `loopback` and `private`. Fails with
 * a message for the operator.
 */
export const networksIn = (text: string): Result.Result<ReadonlyArray<IpNetwork.IpNetwork>, string> =>
  Result.all(
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .flatMap((part) => words[part.toLowerCase()] ?? [part])
      .map(networkFrom)
  )

/**
 * Network of a client address: the IPv4 address (also mapped to IPv6), or the /64 of an IPv6 address, which one client
 * has whole.
 *
 * @internal
 */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address
  const [head = [], tail] = address.split("::").map((part) => (part === "" ? [] : part.split(":")))
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - head.length - tail.length)
  const groups = [...head, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? [])]
  return `${groups.slice(0, 4).join(":")}::/64`
}
