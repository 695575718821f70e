import { Result } from "effect"

/**
 * What is wrong with the key in a request's `Authorization`, as far as the header alone tells. `absent`: there is no header, or an empty
 * one. `bare`: the key stands without a scheme. `scheme`: the scheme is neither Bearer nor Basic. `encoding`: what follows Basic is not the
 * base64 of `user name:password`. `swapped`: the key is the password. `password`: beside the key there is a password. `secret`: it is the
 * secret of a webhook endpoint. `form`: it does not begin like a key.
 */
export type KeyFault = "absent" | "bare" | "scheme" | "encoding" | "swapped" | "password" | "secret" | "form"

/** How the keys of the API begin. */
const prefix = /^sk_(?:test|live)_/

const whole = (key: string): Result.Result<string, KeyFault> => {
  if (key === "") return Result.fail("absent")
  if (key.startsWith("whsec_")) return Result.fail("secret")
  return prefix.test(key) ? Result.succeed(key) : Result.fail("form")
}

const ofBasic = (encoded: string): Result.Result<string, KeyFault> => {
  if (!/^[\w+/-]+={0,2}$/.test(encoded)) return Result.fail("encoding")
  const text = Buffer.from(encoded, "base64").toString("utf8")
  // The first colon ends the user name (RFC 7617).
  const colon = text.indexOf(":")
  if (colon === -1) return Result.fail("encoding")
  const [name, password] = [text.slice(0, colon), text.slice(colon + 1)]
  if (prefix.test(password) && !prefix.test(name)) return Result.fail("swapped")
  return password === "" ? whole(name) : Result.fail("password")
}

/**
 * The API key that a request sends in `Authorization`, which may be mistyped, unknown or have ended: as `Bearer KEY`, or as the user name of `Basic`
 * without a password, as `curl -u KEY:` sends it.
 */
export const sentApiKey = (authorization = ""): Result.Result<string, KeyFault> => {
  const text = authorization.trim()
  if (prefix.test(text)) return Result.fail("bare")
  const [, scheme = "", credential = ""] = /^(\S+) *(.*)$/s.exec(text) ?? []
  if (scheme === "") return Result.fail("absent")
  if (scheme.toLowerCase() === "bearer") return whole(credential)
  return scheme.toLowerCase() === "basic" ? ofBasic(credential) : Result.fail("scheme")
}
