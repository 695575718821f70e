import type { ErrorCode } from "../../../schemas/ErrorCode.ts"

/** The possible faults of a request. */
export const faults = [
  "nothing",
  "no key",
  "wrong key",
  "revoked key",
  "other account",
  "other mode",
  "unknown id",
  "wrong method",
  "wrong media type",
  "malformed JSON",
  "unknown field"
] as const

/** A status code, and an error code. */
type Answer = readonly [status: number, code?: ErrorCode]

export type Answers = Readonly<Record<(typeof faults)[number], Answer | "does not apply">>

const unauthorized: Answer = [401, "invalid_api_key"]
export const missing: Answer = [404, "resource_missing"]
export const notLive: Answer = [403, "account_not_live"]
export const unknown: Answer = [400, "parameter_unknown"]

/** The responses that all routes with a key share, and those of routes with a body or without one. */
const keyed = {
  "no key": unauthorized,
  "wrong key": unauthorized,
  "revoked key": unauthorized,
  "wrong method": [405, "method_not_allowed"],
  "unknown field": unknown
} as const satisfies Partial<Answers>

export const written = {
  "wrong media type": [415, "unsupported_media_type"],
  "malformed JSON": [400, "malformed_json"]
} as const satisfies Partial<Answers>

/** Faults of a body are no faults for a route that does not read it. */
export const read = (status: number) => ({ "wrong media type": [status], "malformed JSON": [status] }) as const

/** A list, or the object that the key itself names: every account has its own. */
export const own: Answers = {
  ...keyed,
  ...read(200),
  nothing: [200],
  "other account": [200],
  "other mode": [200],
  "unknown id": "does not apply"
}

/** An object of one account. */
export const item: Answers = {
  ...own,
  "other account": missing,
  "other mode": missing,
  "unknown id": missing
}

const ofPlatformOnly = [403, "platform_key_required"] as const
/** A read by a platform, which no account's own key may make. */
export const ofPlatform: Answers = {
  ...item,
  "other account": ofPlatformOnly,
  "other mode": ofPlatformOnly
}
/** A change by a platform. */
export const managed = (status: number): Answers => ({ ...ofPlatform, ...written, nothing: [status] })

/** An object that no account has yet. */
export const absent: Answers = {
  ...own,
  nothing: missing,
  "wrong media type": missing,
  "malformed JSON": missing,
  "other account": missing,
  "other mode": missing
}

/** The creation of an object that depends on no other. */
export const creation: Answers = {
  ...keyed,
  ...written,
  nothing: [201],
  "other account": [201],
  "other mode": [201],
  "unknown id": "does not apply"
}

export const change = (status: number): Answers => ({ ...item, ...written, nothing: [status] })

export const accountChange: Answers = { ...own, ...written }

/** Routes for test keys only. */
export const ofTests: Answers = { ...own, ...written, "other mode": [403, "account_not_live"] }

/** Routes without a key, which ignore unknown fields. */
export const open: Answers = {
  ...own,
  "no key": [200],
  "wrong key": [200],
  "revoked key": [200],
  "unknown field": [200]
}

/** A request without a signature gets this error and no other. */
export const unsigned: Answers = {
  ...own,
  nothing: unauthorized,
  "other account": unauthorized,
  "other mode": unauthorized,
  "wrong media type": unauthorized,
  "malformed JSON": unauthorized,
  "unknown field": unauthorized
}

/** The response reports the faults of the body. */
export const verdict: Answers = {
  ...own,
  ...written,
  "unknown id": [200],
  "unknown field": [200]
}
