import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ApiError } from "../../../schemas/ApiError.ts"
import { accountOfPlatform, PlatformId, platformIdOf } from "../../../schemas/Id.ts"
import { text } from "../../../schemas/Text.ts"
import { Accounts } from "../../accounts/store/Accounts.ts"
import { Platforms } from "../../accounts/store/Platforms.ts"
import { createPlatform, updatePlatform } from "../../accounts/store/Operations.ts"
import { toggle } from "../user/Flags.ts"
import { described, none, shownOnce } from "./AccountsCli.ts"
import { json, say, table } from "./Answers.ts"
import { store } from "./Surroundings.ts"

const hostsMax = 20
const hostName = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/u

/** The host of a URL: in lower case and ASCII, with a dot, without a port. */
const ReturnHost = Schema.String.check(
  Schema.makeFilter((host) => host.length <= 253 && hostName.test(host) && URL.canParse(`https://${host}`), {
    message:
      "must be a host such as app.example.com: in lower case and ASCII (xn--…), without https://, a port or a path"
  })
)
const returnHosts = described(
  "return-host",
  `Host to which the portal may return, for example app.example.com; may be repeated, at most ${hostsMax} times`
).pipe(
  Flag.atLeast(0),
  Flag.withSchema(
    Schema.Array(ReturnHost).check(Schema.isMaxLength(hostsMax, { message: `must be at most ${hostsMax} hosts` }))
  ),
  Flag.withDefault(none)
)
const limitAccounts = (description: string) =>
  Flag.Int("limit-accounts").pipe(
    Flag.withDescription(description),
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a positive number" }))),
    Flag.optional
  )

const create = Command.make(
  "create",
  {
    json,
    name: described("name", "Name of the platform"),
    limit_accounts: limitAccounts("Maximum number of accounts that are not closed; if omitted, no maximum"),
    return_hosts: returnHosts
  },
  Effect.fn(function* ({ json: asJson, limit_accounts, name, return_hosts }) {
    const called = yield* Schema.decodeEffect(text(450))(name)
    const most = Option.getOrNull(limit_accounts)
    const made = yield* createPlatform(called, { accounts_max: most, return_hosts })
    const id = platformIdOf(made.account_id)
    const platform = { id, object: "platform", name: called, limit_accounts: most, return_hosts }
    yield* say(asJson, { platform, api_key: { id: made.api_key_id, key: made.key } }, [
      `Created the platform ${id} (${called}) with a test key, ${made.api_key_id}.`,
      ...shownOnce(made.key),
      `For a live key: folio keys create --account ${id} --mode live`
    ])
  })
).pipe(Command.withDescription("Create a platform, which issues for many accounts, with a first key"))

const nothing = new ApiError({
  code: "parameter_missing",
  message: "Nothing to change: give --return-host, --no-return-hosts, --limit-accounts or --no-limit."
})
const both = new ApiError({
  code: "parameter_conflict",
  message: "Give only one of --return-host and --no-return-hosts, and only one of --limit-accounts and --no-limit."
})

const update = Command.make(
  "update",
  {
    json,
    platform: Argument.String("platform").pipe(
      Argument.withDescription("The platform, plat_…"),
      Argument.withSchema(PlatformId)
    ),
    limit_accounts: limitAccounts("Maximum number of accounts that are not closed; existing accounts stay"),
    no_limit: toggle("no-limit", "Remove the maximum number of accounts"),
    return_hosts: returnHosts,
    no_return_hosts: toggle("no-return-hosts", "Remove all hosts to which the portal may return")
  },
  Effect.fn(function* ({ json: asJson, limit_accounts, no_limit, no_return_hosts, platform, return_hosts }) {
    const setsHosts = return_hosts.length > 0
    if ((setsHosts && no_return_hosts) || (Option.isSome(limit_accounts) && no_limit)) return yield* both
    const changes = {
      ...(setsHosts || no_return_hosts ? { return_hosts } : {}),
      ...(Option.isSome(limit_accounts) || no_limit ? { accounts_max: Option.getOrNull(limit_accounts) } : {})
    }
    if (Object.keys(changes).length === 0) return yield* nothing
    const { accounts_max, return_hosts: hosts } = yield* updatePlatform(accountOfPlatform(platform), changes)
    yield* say(asJson, { id: platform, object: "platform", limit_accounts: accounts_max, return_hosts: hosts }, [
      `Updated the platform ${platform}. Maximum number of accounts: ${accounts_max ?? "none"}.`,
      `The portal may return to ${hosts.length === 0 ? "no host" : hosts.join(", ")}.`
    ])
  })
).pipe(Command.withDescription("Replace the return hosts of a platform, or its maximum number of accounts"))

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    const all = yield* (yield* Accounts).list
    const settings = new Map((yield* (yield* Platforms).settings).map((one) => [one.id, one]))
    const modes = all.filter(({ livemode }) => !livemode)
    const found = modes
      .filter(({ is_platform }) => is_platform)
      .map(({ account_id, created_at, name }) => ({
        id: platformIdOf(account_id),
        name,
        accounts: modes.filter(({ platform, status }) => platform === account_id && status !== "closed").length,
        limit_accounts: settings.get(account_id)?.accounts_max ?? null,
        return_hosts: settings.get(account_id)?.return_hosts ?? [],
        created_at
      }))
    const rows = found.map(({ accounts, id, limit_accounts, name, return_hosts }) => [
      id,
      String(accounts),
      limit_accounts === null ? "none" : String(limit_accounts),
      return_hosts.join(",") || "none",
      name
    ])
    yield* say(flags.json, found, table([["PLATFORM", "ACCOUNTS", "LIMIT", "RETURN HOSTS", "NAME"], ...rows]))
  })
).pipe(Command.withDescription("List the platforms with their accounts that are not closed"))

export const platforms = Command.make("platforms").pipe(
  Command.withDescription("Create, update and list platforms"),
  Command.withSubcommands([create, update, list]),
  Command.provide(store)
)
