import { Config, Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { read, refuse } from "../../runtime/Setting.ts"

/**
 * Parses `WEBHOOK_ALLOW`: `ip:port` pairs such as `127.0.0.1:9099,[::1]:9099`, or none. Fails with a message for the
 * operator.
 */
export const parseAllow = (text: string): Result.Result<ReadonlyArray<NetAddress.InetAddress>, string> =>
  Result.all(
    text
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "")
      .map((pair) =>
        NetAddress.inetAddressFromString(pair).pipe(
          Result.filterOrFail(
            (address) => address.port > 0 && !(NetAddress.isInetAddressV6(address) && address.scopeId !== 0),
            () => "no port or a zone"
          ),
          Result.mapError(
            () =>
              `"${pair}" is not an address and a port: write pairs as 127.0.0.1:9099,[::1]:9099 (no names, no ranges)`
          )
        )
      )
  )

const config = Config.all({
  allow: Config.String("WEBHOOK_ALLOW").pipe(Config.withDefault("")),
  nodeEnv: Config.String("NODE_ENV").pipe(Config.withDefault(""))
})

/** The pairs of `WEBHOOK_ALLOW`. Fails with `SettingsError`, also if there are any in production. */
export const allowance = Effect.gen(function* () {
  const { allow, nodeEnv } = yield* read(config)
  const pairs = parseAllow(allow)
  if (Result.isFailure(pairs)) return yield* refuse(`WEBHOOK_ALLOW: ${pairs.failure}`)
  if (pairs.success.length > 0 && nodeEnv === "production")
    return yield* refuse(
      "WEBHOOK_ALLOW is for development: it lets webhooks reach internal addresses. Unset it, or NODE_ENV=production."
    )
  return pairs.success
})
