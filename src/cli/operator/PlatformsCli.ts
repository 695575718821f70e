import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { platformIdOf } from "../../../schemas/Id.ts"
import { text } from "../../../schemas/Text.ts"
import { Accounts } from "../../accounts/store/Accounts.ts"
import { createPlatform } from "../../accounts/store/Operations.ts"
import { described, shownOnce } from "./AccountsCli.ts"
import { json, say, table } from "./Answers.ts"
import { store } from "./Surroundings.ts"

const create = Command.make(
  "create",
  {
    json,
    name: described("name", "Name of the platform"),
    limit_accounts: Flag.Int("limit-accounts").pipe(
      Flag.withDescription("Maximum number of accounts that are not closed; if omitted, no maximum"),
      Flag.withSchema(Schema.Int.check(Schema.isGreaterThan(0, { message: "must be a positive number" }))),
      Flag.optional
    )
  },
  Effect.fn(function* ({ json: asJson, limit_accounts, name }) {
    const called = yield* Schema.decodeEffect(text(450))(name)
    const most = Option.getOrNull(limit_accounts)
    const made = yield* createPlatform(called, most)
    const id = platformIdOf(made.account_id)
    const platform = { id, object: "platform", name: called, limit_accounts: most }
    yield* say(asJson, { platform, api_key: { id: made.api_key_id, key: made.key } }, [
      `Created the platform ${id} (${called}) with a test key, ${made.api_key_id}.`,
      ...shownOnce(made.key),
      `For a live key: folio keys create --account ${id} --mode live`
    ])
  })
).pipe(Command.withDescription("Create a platform, which issues for many accounts, with a first key"))

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (flags) {
    const all = yield* (yield* Accounts).list
    const modes = all.filter(({ livemode }) => !livemode)
    const found = modes
      .filter(({ is_platform }) => is_platform)
      .map(({ account_id, created_at, name }) => ({
        id: platformIdOf(account_id),
        name,
        accounts: modes.filter(({ platform }) => platform === account_id).length,
        created_at
      }))
    const rows = found.map(({ accounts, id, name }) => [id, String(accounts), name])
    yield* say(flags.json, found, table([["PLATFORM", "ACCOUNTS", "NAME"], ...rows]))
  })
).pipe(Command.withDescription("List the platforms"))

export const platforms = Command.make("platforms").pipe(
  Command.withDescription("Create and list platforms"),
  Command.withSubcommands([create, list]),
  Command.provide(store)
)
