import { Result } from "effect"
import { ApiError } from "../../../schemas/ApiError.ts"
import { includes, type KeyCapability } from "../../../schemas/ApiKey.ts"
import { containsNetwork, networksOf } from "../../../schemas/Network.ts"
import { Capability } from "../../../schemas/PortalSession.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { timestamp } from "../../runtime/AuthorityTime.ts"

/** The rights of an API key. Null means without this restriction. */
export interface KeyRights {
  readonly capabilities: ReadonlyArray<KeyCapability> | null
  /** Addresses and networks from which the key works. */
  readonly allowed_ips: ReadonlyArray<string> | null
  /** Time at which the key stops working. */
  readonly expires_at: Date | null
}

export const allRights: KeyRights = { capabilities: null, allowed_ips: null, expires_at: null }

/** Position of the first asked item that no held item covers; -1 if there is none. */
const firstBeyond = <A>(
  asked: ReadonlyArray<A>,
  held: ReadonlyArray<A> | null,
  covers: (held: A, asked: A) => boolean
): number => (held === null ? -1 : asked.findIndex((one) => !held.some((other) => covers(other, one))))

const firstOutside = (asked: ReadonlyArray<string>, held: ReadonlyArray<string> | null): number =>
  firstBeyond(networksOf(asked), held && networksOf(held), containsNetwork)

/** The error for capabilities that the key or session of the request lacks; undefined if it has them all. */
export const capabilityBeyond = (
  asked: ReadonlyArray<KeyCapability>,
  held: ReadonlyArray<KeyCapability> | null
): ApiError | undefined => {
  const index = firstBeyond(asked, held, includes)
  if (index === -1) return undefined
  const param = `capabilities[${index}]`
  const message = `${param} is ${asked[index]}, which the key or session that sends this request lacks. It has ${held?.join(", ")}. Choose from these, or use another key.`
  return ApiError.fromViolations([violation(param, "capability_missing", message, "makers_rights")])
}

const ipBeyond = (asked: ReadonlyArray<string>, held: ReadonlyArray<string> | null): ApiError | undefined => {
  const index = firstOutside(asked, held)
  if (index === -1) return undefined
  const param = `allowed_ips[${index}]`
  const message = `${param} is ${asked[index]}, which is not within one of the allowed_ips of the key that sends this request. Choose addresses and networks within these, or use another key.`
  return ApiError.fromViolations([violation(param, "ip_not_allowed", message, "makers_rights")])
}

const badEnd = (message: string) =>
  ApiError.fromViolations([violation("expires_at", "parameter_invalid", `expires_at ${message}`, "makers_rights")])

const endBeyond = (asked: Date, held: Date | null, now: Date): ApiError | undefined => {
  if (asked <= now) return badEnd(`must be in the future: it is now ${timestamp(now.getTime())}.`)
  if (held === null || asked <= held) return undefined
  return badEnd(
    `must be no later than ${timestamp(held.getTime())}, when the key that sends this request expires. Choose an earlier time, or use another key.`
  )
}

/**
 * The rights of a new key: the asked rights, and by default those of its maker, the key or session of the request.
 * Fails for a right that the maker lacks, and for an end before `now`.
 */
export const granted = (maker: KeyRights, asked: Partial<KeyRights>, now: Date): Result.Result<KeyRights, ApiError> => {
  const { allowed_ips, capabilities, expires_at } = asked
  const fault =
    capabilityBeyond(capabilities ?? [], maker.capabilities) ??
    ipBeyond(allowed_ips ?? [], maker.allowed_ips) ??
    (expires_at ? endBeyond(expires_at, maker.expires_at, now) : undefined)
  if (fault !== undefined) return Result.fail(fault)
  return Result.succeed({
    capabilities: capabilities ?? maker.capabilities,
    allowed_ips: allowed_ips ?? maker.allowed_ips,
    expires_at: expires_at ?? maker.expires_at
  })
}

const isIn = (held: ReadonlyArray<KeyCapability>) => (capability: KeyCapability) =>
  held.some((each) => includes(each, capability))

/** The capabilities that both lists allow. Null means all capabilities. */
const common = (
  one: ReadonlyArray<KeyCapability> | null,
  other: ReadonlyArray<KeyCapability> | null
): ReadonlyArray<KeyCapability> | null => {
  if (one === null || other === null) return one ?? other
  const first = one.filter(isIn(other))
  return [...first, ...other.filter((capability) => isIn(one)(capability) && !isIn(first)(capability))]
}

/** The error for a roll by a key or session that shares no capability with the rolled key. */
const nothingInCommon = new ApiError({
  code: "capability_missing",
  message:
    "The key or session that sends this request has none of the key's capabilities. Roll the key with a key or in a session that has them."
})

const otherNetworks = new ApiError({
  code: "ip_not_allowed",
  message:
    "The allowed_ips of the rolled key and of the key that sends this request differ, and neither list contains the other. Roll the key with a key whose allowed_ips contain those of the rolled key."
})

/**
 * The rights of the successor of a rolled key: those of the rolled key, within those of the maker. Fails if they share
 * no capability, or if neither's networks contain the other's.
 */
export const inherited = (old: KeyRights, maker: KeyRights): Result.Result<KeyRights, ApiError> => {
  const capabilities = common(old.capabilities, maker.capabilities)
  if (capabilities?.length === 0) return Result.fail(nothingInCommon)
  const isWithin = ({ allowed_ips }: KeyRights, held: KeyRights) =>
    held.allowed_ips === null || (allowed_ips !== null && firstOutside(allowed_ips, held.allowed_ips) === -1)
  const narrower = isWithin(old, maker) ? old : isWithin(maker, old) ? maker : undefined
  if (narrower === undefined) return Result.fail(otherNetworks)
  const ends = [old.expires_at, maker.expires_at].filter((end) => end !== null)
  const expires_at = ends.length === 0 ? null : new Date(Math.min(...ends.map(Number)))
  return Result.succeed({ capabilities, allowed_ips: narrower.allowed_ips, expires_at })
}

/** Whether a key with these rights can do everything in an account, from anywhere and without an end. */
export const isComplete = ({ allowed_ips, capabilities, expires_at }: KeyRights): boolean =>
  allowed_ips === null && expires_at === null && capabilityBeyond(Capability.literals, capabilities) === undefined
