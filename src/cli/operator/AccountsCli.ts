import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Issuer, type KeyMode } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { ApiKeyRequest, KeyCapability } from "../../../schemas/ApiKey.ts"
import { AccountId, accountOfPlatform, PlatformId, platformIdOf } from "../../../schemas/Id.ts"
import { text } from "../../../schemas/Text.ts"
import { checkDigit, isNit } from "../../documents/rules/parties/CheckDigit.ts"
import { Accounts, accountView } from "../../accounts/store/Accounts.ts"
import { ApiKeys, apiKeyView, type StoredApiKey } from "../../accounts/store/ApiKeys.ts"
import { certificateView, signingCertificate } from "../../accounts/store/Certificates.ts"
import { softwareView } from "../../accounts/store/LiveMode.ts"
import { createAccount, createKey, revokeKey, rollKey } from "../../accounts/store/Operations.ts"
import { json, say, table } from "./Answers.ts"
import { store } from "./Surroundings.ts"
import { toggle } from "../user/Flags.ts"

export const described = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description))

/** The default of a flag that may be repeated. Without a default, the help shows the flag as required. */
export const none: ReadonlyArray<never> = []

const mode = Flag.Literals("mode", ["test", "live"]).pipe(
  Flag.withDescription("test: the sandbox; live: production"),
  Flag.withDefault("test" as const)
)
const AccountOrPlatform = Schema.Union([AccountId, PlatformId])
/** `--account`: an account, or a platform as its own account. */
export const accountFlag = (description: string) =>
  described("account", description).pipe(
    Flag.withSchema(AccountOrPlatform),
    Flag.map((id) => (Schema.is(PlatformId)(id) ? accountOfPlatform(id) : AccountId.make(id)))
  )
const account = accountFlag("The account, ten_…, or the platform, plat_…")

// The largest page. An account has at most 100 active keys in each mode.
const page = { limit: 100, cursor: null } as const

const keysOf = Effect.fnUntraced(function* (account_id: AccountId) {
  const keys = yield* ApiKeys
  const pages = yield* Effect.forEach([false, true], (livemode) => keys.list({ account_id, livemode }, page))
  return pages.flatMap(({ rows }) => rows)
})

const keyTable = (rows: ReadonlyArray<StoredApiKey>) =>
  table([
    ["KEY", "MODE", "ENDS IN", "NAME", "CAPABILITIES", "ALLOWED IPS", "LAST USED", "STATE"],
    ...rows.map((row) => [
      row.id,
      row.livemode ? "live" : "test",
      row.last_four,
      row.name ?? "",
      row.capabilities?.join(",") ?? "all",
      row.allowed_ips?.join(",") ?? "any",
      row.last_used_at?.toISOString() ?? "never",
      row.revoked_at !== null
        ? `revoked ${row.revoked_at.toISOString()}`
        : row.expires_at !== null
          ? `expires ${row.expires_at.toISOString()}`
          : "works"
    ])
  ])

const cellOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value))

export const shownOnce = (key: string) => ["The key, shown only this once:", "", `  ${key}`, ""]

/** Joins the messages of all violations into the error's message, on one line. */
const explained = (error: ApiError) =>
  error.errors === undefined
    ? error
    : new ApiError({ code: error.code, message: error.errors.map(({ message }) => message).join(" ") })

const create = Command.make(
  "create",
  {
    json,
    mode,
    name: Flag.optional(described("name", "Name of the account; if omitted, the issuer's legal name")),
    nit: described("nit", "The issuer's NIT, without its check digit"),
    check_digit: Flag.optional(described("check-digit", "Check digit of the NIT; if omitted, computed")),
    legal_name: described("legal-name", "The issuer's legal name"),
    organization_type: Flag.Literals("organization-type", ["1", "2"]).pipe(
      Flag.withDescription("1: legal entity; 2: natural person"),
      Flag.withDefault("1" as const)
    ),
    email: described("email", "The issuer's email address"),
    address: described("address", "The issuer's street address"),
    city_code: described("city-code", "City code: five digits, for example 11001"),
    country_code: described("country-code", "Country code: two letters").pipe(Flag.withDefault("CO")),
    tax_responsibilities: described(
      "tax-responsibility",
      "Tax responsibility, for example R-99-PN; may be repeated"
    ).pipe(Flag.atLeast(0), Flag.withDefault(none)),
    vat_responsible: Flag.optional(
      Flag.Literals("vat-responsible", ["yes", "no"]).pipe(
        Flag.withDescription("Whether the issuer charges value added tax; required before the first live document")
      )
    )
  },
  Effect.fn(function* (flags) {
    const {
      check_digit,
      json: asJson,
      mode: keyMode,
      name,
      nit,
      tax_responsibilities,
      vat_responsible,
      ...rest
    } = flags
    const digit = Option.getOrElse(check_digit, () => (isNit(nit) ? checkDigit(nit) : undefined))
    const request = {
      identification: { type: "31", number: nit, ...(digit === undefined ? {} : { check_digit: digit }) },
      ...rest,
      department_code: rest.city_code.slice(0, 2),
      tax_responsibilities: tax_responsibilities.length === 0 ? ["R-99-PN"] : tax_responsibilities,
      ...Option.match(vat_responsible, { onNone: () => ({}), onSome: (said) => ({ vat_responsible: said === "yes" }) })
    }
    const issuer = yield* Schema.decodeUnknownEffect(Issuer)(request, { errors: "all" })
    const called = yield* Schema.decodeEffect(text(450))(Option.getOrElse(name, () => issuer.legal_name))
    const made = yield* Effect.mapError(createAccount(called, issuer, keyMode), explained)
    const view = accountView(made.account, { certificate: null, software: null })
    const lack = "It has no numbering range yet: register its resolution at POST /v1/resolutions."
    yield* say(asJson, { account: view, api_key: { id: made.api_key_id, key: made.key } }, [
      `Created the account ${view.id} (${view.name}) with a ${keyMode} key, ${made.api_key_id}.`,
      ...shownOnce(made.key),
      ...(keyMode === "live" ? [lack] : [])
    ])
  })
).pipe(Command.withDescription("Create an account with its issuer and a first key"))

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    const all = yield* (yield* Accounts).list
    const nitOf = (id: AccountId, live: boolean) =>
      all.find(({ account_id, livemode }) => account_id === id && livemode === live)?.issuer?.identification.number ??
      null
    const found = all.flatMap(({ account_id: id, created_at, is_platform, livemode, name, platform: of, status }) => {
      if (livemode || is_platform) return []
      const platform = of === null ? null : platformIdOf(of)
      return [{ id, name, status, platform, nit: nitOf(id, false), live_nit: nitOf(id, true), created_at }]
    })
    const rows = found.map(({ id, live_nit, name, nit, platform, status }) => [
      id,
      nit ?? "",
      live_nit ?? "none yet",
      status,
      platform ?? "none",
      name
    ])
    yield* say(flags.json, found, table([["ACCOUNT", "NIT", "LIVE NIT", "STATUS", "PLATFORM", "NAME"], ...rows]))
  })
).pipe(Command.withDescription("List the accounts"))

const show = Command.make(
  "show",
  { json, mode, id: Argument.String("account").pipe(Argument.withSchema(AccountId)) },
  Effect.fn(function* (flags) {
    const livemode = flags.mode === "live"
    const accounts = yield* (yield* Accounts).list
    const found = accounts.find((one) => one.account_id === flags.id && one.livemode === livemode)
    if (found === undefined) return yield* ApiError.missingForOperator("account", flags.id, "accounts list")
    const keys = yield* keysOf(flags.id)
    const signing = livemode ? Option.getOrNull(yield* signingCertificate(flags.id)) : null
    const software = livemode ? softwareView(yield* (yield* Accounts).liveFacts(flags.id)) : null
    const view = accountView(found, { certificate: certificateView(signing), software })
    yield* say(flags.json, { account: view, api_keys: keys.map(apiKeyView) }, [
      ...table(Object.entries(view).map(([name, value]) => [name, cellOf(value)])),
      "",
      ...keyTable(keys)
    ])
  })
).pipe(Command.withDescription("Show an account in one mode, and its keys"))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Create, list and show accounts"),
  Command.withSubcommands([create, list, show]),
  Command.provide(store)
)

const printNewKey = (
  asJson: boolean,
  what: string,
  { key, row }: { readonly key: string; readonly row: StoredApiKey }
) => say(asJson, { ...apiKeyView(row), key }, [what, ...shownOnce(key)])

const keyId = Argument.String("key").pipe(Argument.withDescription("The key's id, key_…"))

const createKeyCommand = Command.make(
  "create",
  {
    json,
    account,
    mode,
    name: Flag.optional(described("name", "Name of the key")),
    capability: described(
      "capability",
      `Capability of the key, ${KeyCapability.literals.join(", ")}; may be repeated; if omitted, all`
    ).pipe(Flag.atLeast(0), Flag.withDefault(none)),
    allowed_ip: described(
      "allowed-ip",
      "Address or network from which the key works, for example 203.0.113.0/24; may be repeated; if omitted, any"
    ).pipe(Flag.atLeast(0), Flag.withDefault(none)),
    expires_at: Flag.optional(
      described("expires-at", "Time at which the key stops working, for example 2027-01-31T18:00:00-05:00")
    ),
    copy_issuer: toggle("copy-issuer", "Live mode: start with the test mode's issuer")
  },
  Effect.fn(function* (flags) {
    const livemode = (flags.mode satisfies KeyMode) === "live"
    const { allowed_ip, capability, expires_at, name } = flags
    const sent = {
      ...(Option.isNone(name) ? {} : { name: name.value }),
      ...(capability.length === 0 ? {} : { capabilities: capability }),
      ...(allowed_ip.length === 0 ? {} : { allowed_ips: allowed_ip }),
      ...(Option.isNone(expires_at) ? {} : { expires_at: expires_at.value })
    }
    const request = yield* Schema.decodeUnknownEffect(ApiKeyRequest)(sent, { errors: "all" })
    const made = yield* createKey({ account_id: flags.account, livemode }, request, { copyIssuer: flags.copy_issuer })
    const lack = "Its live mode has no issuer yet: send all of the issuer's data to PATCH /v1/account with this key."
    const what = `Created the ${flags.mode} key ${made.row.id} of ${flags.account}.`
    yield* printNewKey(flags.json, made.has_issuer ? what : `${what} ${lack}`, made)
  })
).pipe(Command.withDescription("Create another key for an account"))

const listKeys = Command.make(
  "list",
  { json, account },
  Effect.fn(function* (flags) {
    const rows = yield* keysOf(flags.account)
    yield* say(flags.json, rows.map(apiKeyView), keyTable(rows))
  })
).pipe(Command.withDescription("List the keys of an account, including revoked and expired ones"))

const roll = Command.make(
  "roll",
  {
    json,
    id: keyId,
    expires_in: Flag.Int("expires-in").pipe(
      Flag.withDescription("Seconds until the old key expires; 0: immediately"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 * 86_400 })))
    )
  },
  Effect.fn(function* (flags) {
    const made = yield* rollKey(flags.id, flags.expires_in)
    yield* printNewKey(flags.json, `Created ${made.row.id} to replace ${flags.id}.`, made)
  })
).pipe(Command.withDescription("Roll a key: replace it, with a transition period"))

const revoke = Command.make(
  "revoke",
  { json, id: keyId },
  Effect.fn(function* (flags) {
    const row = yield* revokeKey(flags.id)
    yield* say(flags.json, apiKeyView(row), [`Revoked ${flags.id}. Every process rejects it within a second.`])
  })
).pipe(Command.withDescription("Revoke a key permanently"))

export const keys = Command.make("keys").pipe(
  Command.withDescription("Create, list, roll and revoke API keys"),
  Command.withSubcommands([createKeyCommand, listKeys, roll, revoke]),
  Command.provide(store)
)
