import { Option } from "effect"
import type { Issuer } from "../../../schemas/Account.ts"
import type { LiveState, LiveStep, LiveStepCode } from "../../../schemas/LiveSteps.ts"
import type { NationalProfile } from "../../documents/NationalProfile.ts"
import type { Authority } from "../authority/Authority.ts"
import type { CurrentCertificate } from "../../accounts/store/Certificates.ts"
import type { LiveFacts } from "../../accounts/store/LiveMode.ts"

/** A lack, as a phrase, that keeps an account from issuing live documents. */
export interface Lack {
  readonly code: LiveStepCode
  readonly phrase: string
  /** `missing` if omitted. */
  readonly state?: LiveStep["state"]
}

/**
 * The settings of Folio for all of its accounts. `noAuthority`: the reason why Folio cannot send documents; null if
 * Folio has an authority.
 */
export interface Offered {
  readonly profile: Pick<typeof NationalProfile.Service, "lacks" | "lacksOf" | "lackOfSoftware">
  readonly noAuthority: string | null
}

const noLiveAuthority = "the service has no live authority (the operator must set AUTHORITY_URL)"

export const offeredBy = (
  profile: typeof NationalProfile.Service,
  { servesLive = true }: typeof Authority.Service
): Offered => ({ profile, noAuthority: servesLive ? null : noLiveAuthority })

/** The needs of every live document. */
export interface Needed {
  readonly issuer: Issuer | null
  readonly certificate: Option.Option<CurrentCertificate>
  readonly has_software: boolean
}

/** The lack of an account that has never sent its live issuer. */
export const issuerLack = "the account has no live issuer (send all of its data to PATCH /v1/account with a live key)"

const upload = "POST /v1/account/certificate"

/** The reason why an account cannot sign: no certificate, or an expired one; null if it can sign. */
export const certificateLack = (found: Option.Option<CurrentCertificate>): string | null => {
  if (Option.isNone(found)) return `the account has no signing certificate (send one to ${upload})`
  const { is_valid, not_after } = found.value
  return is_valid
    ? null
    : `the account's signing certificate expired on ${not_after.toISOString().slice(0, 10)} (send its successor to ${upload})`
}

const lacksOfIssuer = (issuer: Issuer | null, { lacksOf }: Offered["profile"]): ReadonlyArray<Lack> => {
  if (issuer === null) return [{ code: "issuer", phrase: issuerLack }]
  return (lacksOf?.(issuer) ?? []).map((phrase) => ({
    code: phrase.includes("vat_responsible") ? "vat_responsible" : "issuer",
    phrase
  }))
}

/** The lacks that keep a document from being signed and sent, whatever its range. */
export const lacksToIssue = ({ noAuthority, profile }: Offered, needed: Needed): ReadonlyArray<Lack> => {
  const phrases: ReadonlyArray<readonly [LiveStepCode, string | null | undefined]> = [
    ["certificate", certificateLack(needed.certificate)],
    ...profile.lacks.map((phrase) => ["service", phrase] as const),
    ["software", needed.has_software ? null : profile.lackOfSoftware],
    ["authority", noAuthority]
  ]
  return [
    ...lacksOfIssuer(needed.issuer, profile),
    ...phrases.flatMap(([code, phrase]) => (phrase === null || phrase === undefined ? [] : [{ code, phrase }]))
  ]
}

const keyLack: Lack = {
  code: "live_key",
  phrase: "the account has no live key (the operator makes one: folio keys create --account ten_… --mode live)"
}

const enabling: Readonly<Record<"missing" | "running" | "failed", string>> = {
  missing:
    "the account's software has not passed the authority's test set (POST /v1/account/enablement, or folio enable)",
  running: "the authority's test set is running (GET /v1/account/enablement shows its progress)",
  failed:
    "the authority's test set has failed (GET /v1/account/enablement shows why; fix the cause, then start the test set again)"
}

/** An account with a range has been enabled, because the authority grants ranges only to enabled issuers. */
const enablementLack = ({ enablement, has_range }: LiveFacts): ReadonlyArray<Lack> => {
  if (has_range || enablement === "passed") return []
  const state = enablement ?? "missing"
  return [{ code: "enablement", phrase: enabling[state], state }]
}

const rangeLack = ({ has_number, has_range }: LiveFacts): ReadonlyArray<Lack> => {
  if (has_number) return []
  const phrase = has_range
    ? "no numbering range of the account is active, valid today and has numbers left (import the next one: POST /v1/resolutions/import)"
    : "the account has no numbering range (import the granted ranges: POST /v1/resolutions/import)"
  return [{ code: "numbering_range", phrase }]
}

/** The section of the guide for each step. */
const anchors: Readonly<Record<LiveStepCode, string>> = {
  authority: "settings",
  service: "settings",
  live_key: "live-key",
  issuer: "issuer",
  vat_responsible: "issuer",
  certificate: "certificate",
  software: "software",
  enablement: "enablement",
  numbering_range: "numbering-range"
}

const order = Object.keys(anchors)

/** The guide to going live. The steps refer to its headings. */
const guide = "/docs/guides/going-live"

/** The remaining steps before an account issues live documents, in their order. */
export const liveState = (
  offered: Offered,
  facts: LiveFacts,
  certificate: Needed["certificate"],
  baseUrl: string
): LiveState => {
  const { has_key, issuer, software } = facts
  const lacks = [
    ...lacksToIssue(offered, { issuer, certificate, has_software: software !== null }),
    ...(has_key ? [] : [keyLack]),
    ...enablementLack(facts),
    ...rangeLack(facts)
  ].toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code))
  return {
    ready: lacks.length === 0,
    steps: lacks.map(({ code, phrase, state = "missing" }) => ({
      code,
      state,
      message: `${phrase.slice(0, 1).toUpperCase()}${phrase.slice(1)}.`,
      href: `${baseUrl}${guide}#${anchors[code]}`
    }))
  }
}
