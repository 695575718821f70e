import { assert, describe } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { apiKeyMode } from "../../../src/accounts/rules/ApiKeyFormat.ts"
import { schemaRelease } from "../../../src/database/SchemaRelease.ts"
import { version } from "../../../src/runtime/Version.ts"
import { type DoctorSaid, folioCommand, issuer, notedIn, wrongIn } from "../../support/processes/FolioCommand.ts"
import { folioHere } from "../../support/processes/FolioHere.ts"
import { bareDatabase, dataDirectory, freshDatabase, query } from "../../support/database/Postgres.ts"
import { it } from "../../support/Tests.ts"

/** Runs commands on one database, in this process. */
const on = Effect.fnUntraced(function* (database: Effect.Effect<string, unknown, Scope.Scope>) {
  const url = yield* Effect.orDie(database)
  const env: Record<string, string> = { DATABASE_URL: url, DATA_DIR: yield* dataDirectory }
  return { url, env, folio: (...words: ReadonlyArray<string>) => folioHere([...words, "--json"], env) }
})

const restricted = ["keys", "create", "--account", "ten_00000000000000000000000000"] as const

/** The words that create a live key with the issuer of test mode. */
const copying = (account = "") => ["keys", "create", "--account", account, "--mode", "live", "--copy-issuer"]

describe("folio", () => {
  it.live("creates a platform, and changes its return hosts and its limit", function* () {
    const { folio, url } = yield* on(freshDatabase)
    const of = ["--return-host", "app.example.com", "--return-host", "xn--ail-hoa.example"]
    const made = yield* folio("platforms", "create", "--name", "Mi ERP", ...of, "--limit-accounts", "3")
    assert.strictEqual(made.code, 0, made.error)
    const { id } = made.json.platform
    assert.deepInclude(made.json.platform, {
      limit_accounts: 3,
      return_hosts: ["app.example.com", "xn--ail-hoa.example"]
    })
    const update = (...words: ReadonlyArray<string>) => folio("platforms", "update", id, ...words)
    const only = { id, object: "platform", limit_accounts: 3, return_hosts: ["erp.example.com"] }
    assert.deepStrictEqual((yield* update("--return-host", "erp.example.com")).json, only)
    assert.deepStrictEqual((yield* update("--limit-accounts", "5")).json, { ...only, limit_accounts: 5 })
    assert.deepStrictEqual((yield* update("--no-limit", "--no-return-hosts")).json, {
      ...only,
      limit_accounts: null,
      return_hosts: []
    })
    for (const [words, message] of [
      [[], /Nothing to change/],
      [["--no-limit", "--limit-accounts", "1"], /only one of --limit-accounts/],
      [["--no-return-hosts", "--return-host", "app.example.com"], /Give only one of --return-host/],
      ...["https://app.example.com", "app.example.com:443", "App.example.com", "añil.example", "localhost", ""].map(
        (host) => [["--return-host", host], /must be a host such as app\.example\.com/] as const
      ),
      [Array.from({ length: 21 }, (_, index) => ["--return-host", `h${index}.example.com`]).flat(), /at most 20 hosts/]
    ] as const) {
      const refused = yield* update(...words)
      assert.match(refused.error + refused.out, message, words.join(" "))
      assert.notStrictEqual(refused.code, 0)
    }
    const missing = yield* folio("platforms", "update", `plat_${"0".repeat(26)}`, "--no-limit")
    assert.match(missing.error, /There is no platform "plat_0{26}". To list them, run: folio platforms list/)
    const log = yield* query(url, "select distinct object_id from audit_log where action like 'platform.%'")
    assert.deepStrictEqual(log.rows, [{ object_id: id }])
    yield* update("--limit-accounts", "2", "--return-host", "app.example.com")
    const listed = yield* folio("platforms", "list")
    assert.deepInclude(listed.json[0], { id, accounts: 0, limit_accounts: 2, return_hosts: ["app.example.com"] })
  })

  it.live("creates accounts and keys, and revokes keys", function* () {
    const { env, folio, url } = yield* on(freshDatabase)
    const newAccount = ["accounts", "create", ...issuer, "--vat-responsible", "no", "--json"]
    const created = yield* folioCommand(newAccount, env)
    assert.strictEqual(created.code, 0, created.error)
    const { account, api_key } = created.json
    assert.isFalse(account.vat_responsible)
    assert.deepInclude(account.identification, { type: "31", number: "900373115", check_digit: "3" })
    assert.strictEqual(apiKeyMode(api_key.key), "test")
    const ranges = yield* query(url, "select prefix, livemode from resolutions")
    assert.deepStrictEqual(ranges.rows, [{ prefix: "SETP", livemode: false }])

    // The live mode takes over the test issuer only once, and only with --copy-issuer.
    const liveKey = ["keys", "create", "--account", account.id, "--mode", "live"] as const
    const live = yield* folio(...liveKey, "--name", "till")
    assert.strictEqual(apiKeyMode(live.json.key), "live")
    const shownLive = folio("accounts", "show", account.id, "--mode", "live")
    assert.deepInclude((yield* shownLive).json.account, { identification: null, key_mode: "live" })
    const told = yield* folioHere(liveKey, env)
    assert.match(told.out, /no issuer yet.*PATCH \/v1\/account/)
    const copied = yield* folio(...liveKey, "--copy-issuer")
    assert.deepStrictEqual((yield* shownLive).json.account.identification, account.identification)
    const copiedAgain = yield* folio(...liveKey, "--copy-issuer")
    assert.deepStrictEqual([copiedAgain.code, /already has an issuer/.test(copiedAgain.error)], [1, true])
    const { rows } = yield* query(url, "select id from api_keys where livemode order by id")
    const [, untold] = rows.map(({ id }) => String(id))
    const rolled = yield* folio("keys", "roll", live.json.id, "--expires-in", "0")
    assert.strictEqual(rolled.json.name, "till")
    const revoked = yield* folio("keys", "revoke", api_key.id)
    assert.isNotNull(revoked.json.revoked_at)

    const listed = yield* folio("keys", "list", "--account", account.id)
    assert.deepStrictEqual(
      listed.json.map(({ id }: { readonly id: string }) => id).toSorted(),
      [api_key.id, live.json.id, untold, copied.json.id, rolled.json.id].toSorted()
    )
    const shown = yield* folio("accounts", "show", account.id)
    assert.deepStrictEqual(shown.json.account.identification, account.identification)
    const accounts = yield* folio("accounts", "list")
    assert.deepStrictEqual(accounts.json, [
      {
        id: account.id,
        name: "Prueba S.A.S.",
        nit: "900373115",
        live_nit: "900373115",
        status: "active",
        platform: null,
        created_at: accounts.json[0].created_at
      }
    ])
    const keys = yield* folioHere(["keys", "list", "--account", account.id], env)
    for (const { out } of [listed, shown, accounts, keys]) assert.notMatch(out, /sk_(test|live)_/)
    assert.match(keys.out, /^KEY .*\nkey_/)

    const log = yield* query(url, "select action from audit_log where actor = 'operator' order by seq")
    assert.deepStrictEqual(
      log.rows.map(({ action }) => action),
      "account.created api_key.created api_key.created api_key.created account.updated api_key.created api_key.rolled api_key.revoked".split(
        " "
      )
    )
  })

  it.live("copies no issuer to an account with numbers of another live account of this issuer", function* () {
    const { env, folio, url } = yield* on(freshDatabase)
    const made = [yield* folio("accounts", "create", ...issuer), yield* folio("accounts", "create", ...issuer)]
    const [first, second] = made.map(({ json }) => String(json.account.id))
    assert.strictEqual((yield* folio(...copying(first))).code, 0)
    // The ranges of the live modes. The second account had no issuer when it registered its range.
    const add = `insert into resolutions select (jsonb_populate_record(r, jsonb_build_object(
      'livemode', true, 'id', 'res_' || substr(account_id, 5)))).* from resolutions r where not livemode`
    yield* query(url, add)
    const refused = yield* folioHere(copying(second), env)
    assert.strictEqual(refused.code, 1, refused.out)
    assert.match(refused.error, /overlap the numbers of another live account whose issuer has the same identification/)
    const left = "select account_id from api_keys where livemode union select account_id from account_modes"
    const { rows } = yield* query(url, `${left} where livemode and issuer is not null`)
    assert.deepStrictEqual(rows, [{ account_id: first }])
    yield* query(url, "update resolutions set is_active = false where livemode")
    const copied = yield* folio(...copying(second))
    assert.strictEqual(copied.code, 0, copied.error)
  })

  it.live("restricts a key", function* () {
    const { env, folio } = yield* on(freshDatabase)
    const { json: made } = yield* folioCommand(["accounts", "create", ...issuer, "--json"], env)
    const create = ["keys", "create", "--account", made.account.id, "--name", "till"] as const
    const rights = ["--capability", "create", "--capability", "read", "--allowed-ip", "203.0.113.0/24"] as const
    const { json } = yield* folio(...create, ...rights, "--expires-at", "2099-12-31T18:00:00-05:00")
    assert.deepInclude(json, {
      name: "till",
      capabilities: ["create", "read"],
      allowed_ips: ["203.0.113.0/24"],
      expires_at: "2099-12-31T18:00:00.000-05:00"
    })
    const past = yield* folio(...create, "--expires-at", "2020-01-01T00:00:00Z")
    assert.deepStrictEqual([past.code, /expires_at must be in the future/.test(past.error)], [1, true], past.error)
    const listed = yield* folioHere(["keys", "list", "--account", made.account.id], env)
    assert.match(listed.out, /till +create,read +203\.0\.113\.0\/24 +never +expires 2099-12-31/)
  })

  it.live("marks a flag as required in the help only if the command needs it", function* () {
    for (const [words, required] of [
      [["platforms", "create"], ["name"]],
      [["platforms", "update"], []],
      [["keys", "create"], ["account"]],
      [
        ["accounts", "create"],
        ["nit", "legal-name", "email", "address", "city-code"]
      ]
    ] as const) {
      const { out } = yield* folioHere([...words, "--help"], {})
      const marked = [...out.matchAll(/--([a-z-]+) string +\(required\)/gu)].map(([, name]) => name)
      assert.sameMembers(marked, [...required], words.join(" "))
    }
  })

  it.live("reports invalid arguments, and exits with 1, or with 2 after wrong usage", function* () {
    const { env } = yield* on(freshDatabase)
    for (const [words, told] of [
      [["accounts", "create", ...issuer.with(1, "900373115x")], /must be 1 to 15 digits/],
      [["accounts", "create", ...issuer, "--check-digit", "4"], /for this number it is "3"/],
      [["accounts", "show", "ten_00000000000000000000000000"], /no account "ten_0{26}". To list them, run: folio acc/],
      [["keys", "revoke", "key_1"], /no API key "key_1"/],
      [["keys", "roll", "key_1"], /expires-in/],
      [[...restricted, "--capability", "fly"], /must be one of view, deliver[^]*capabilities/],
      [[...restricted, "--allowed-ip", "10.0.0.0/33"], /CIDR[^]*allowed_ips/],
      [[...restricted, "--expires-at", "tomorrow"], /with its offset[^]*expires_at/]
    ] as const) {
      const { code, error, out } = yield* folioHere(words, env)
      assert.strictEqual(code, 1, words.join(" "))
      assert.match(error + out, told)
    }
    for (const [words, told] of [
      [["nonsense"], /^folio: .*"nonsense".*\n  Help: folio --help\n$/],
      [["keys", "creat"], /^folio: .*"creat".*Did you mean create\?\n  Help: folio keys --help\n$/]
    ] as const) {
      const { code, error, out } = yield* folioCommand(words, env)
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(error, told)
    }
    assert.strictEqual((yield* folioCommand(["purge"], env)).code, 0)
    const help = yield* folioCommand([], env)
    assert.strictEqual(help.code, 0)
    assert.match(help.out, /serve[^]*migrate[^]*accounts[^]*keys[^]*purge[^]*doctor/)
  })

  it.live("changes no tables of another release until the operator runs the migration", function* () {
    const { folio } = yield* on(bareDatabase)
    const early = yield* folio("accounts", "list")
    assert.strictEqual(early.code, 1)
    assert.match(early.error, /run: folio migrate/)
    const empty = yield* folio("doctor")
    assert.deepStrictEqual([empty.code, wrongIn(empty)], [0, []])
    assert.deepInclude(empty.json.checks[0], { check: "folio", message: `This is Folio ${version}` })
    assert.include(JSON.stringify(empty.json), '"Nothing exists yet: the first start creates the tables"')
    assert.deepStrictEqual((yield* folio("migrate")).json, { migration: schemaRelease })
    assert.deepStrictEqual((yield* folio("accounts", "list")).json, [])
    assert.deepStrictEqual(wrongIn(yield* folio("doctor")), [])
  })

  it.live("lists with doctor what production lacks, and fails on it with --production", function* () {
    const { env, folio, url } = yield* on(freshDatabase)
    const lacking = ["mail", "address", "alerts", "backup"]
    const sandbox = yield* folio("doctor")
    assert.deepStrictEqual([sandbox.code, sandbox.json.ok, notedIn(sandbox)], [0, true, lacking])
    const early = yield* folio("doctor", "--production")
    assert.deepStrictEqual([early.code, early.json.ok, wrongIn(early)], [1, false, lacking])

    const file = Path.join(env["DATA_DIR"] ?? "", "backup")
    assert.strictEqual((yield* folio("backup", file)).code, 0)
    env["BASE_URL"] = "https://folio.example.com"
    env["SMTP_URL"] = "smtp://127.0.0.1:2525"
    env["MAIL_FROM"] = "facturas@example.com"
    env["ALERT_EMAIL"] = "ops@example.com"
    const ready = yield* folio("doctor", "--production")
    assert.deepStrictEqual([ready.code, wrongIn(ready)], [0, []], ready.out)
    yield* query(url, "update last_backup set taken_at = now() - interval '3 days'")
    assert.deepStrictEqual(wrongIn(yield* folio("doctor", "--production")), ["backup"])
  })

  it.live("lists broken parts with doctor, each with the fix", function* () {
    const { env, folio, url } = yield* on(freshDatabase)
    env["FOLIO_KEY"] = randomBytes(32).toString("base64")
    const { account } = (yield* folio("accounts", "create", ...issuer)).json
    assert.deepStrictEqual(wrongIn(yield* folio("doctor")), [])
    yield* query(url, "insert into key_canary (sealed) values ('v1.AAAA')")
    assert.deepStrictEqual(wrongIn(yield* folio("doctor")), ["secrets"])
    yield* query(url, "delete from key_canary")
    const endpoint = (failing: string) => `
          insert into webhook_endpoints (account_id, livemode, id, url, subscribed_events, max_in_flight, metadata,
            api_version, secret, failing_since, created_at, updated_at)
          values ('${account.id}', false, 'we_1', '', '{}', 1, '{}', '', 'v1.AAAA', ${failing}, now(), now())`
    const pem = Path.join(env["DATA_DIR"] ?? "", "secret-key")
    const certificate = `
          insert into certificates values ('${account.id}', true, 'cert_1', 'CN=Tienda', now() - interval '1 year',
            now() + interval '29 days', 'v1.AAAA', now())`
    const broken = [
      [
        `insert into resolutions select account_id, livemode, 'res_2', number, document_type, 'SETP9', 90000000, 90000009,
               valid_from, valid_to, technical_key, is_active, 90000000, created_at from resolutions`,
        ["numbers"]
      ],
      ["delete from resolutions where id = 'res_2'", []],
      ["update resolutions set next_number = to_number - 5", ["ranges"]],
      ["update resolutions set valid_to = current_date + 3", ["ranges"]],
      [endpoint("null"), ["secrets", "ranges"]],
      [certificate, ["secrets", "live certs", "ranges"]],
      ["update certificates set not_after = now() - interval '1 day'", ["secrets", "live certs", "ranges"]],
      ["update certificates set not_after = now() + interval '32 days'", ["secrets", "ranges"]],
      ["update webhook_endpoints set failing_since = now() - interval '2 hours'", ["secrets", "ranges", "endpoints"]],
      ["alter table customers disable row level security", ["fences", "secrets", "ranges", "endpoints"]],
      ["drop trigger rules_of_documents on invoices", ["fences", "secrets", "ranges", "endpoints"]],
      ["delete from effect_sql_migrations", ["migrations", "fences"]]
    ] as const
    for (const [statement, wrong] of broken) {
      yield* query(url, statement)
      const doctor = yield* folio("doctor")
      assert.deepStrictEqual(wrongIn(doctor), [...wrong], statement)
      assert.strictEqual(doctor.code, wrong.length === 0 ? 0 : 1)
      const { checks }: DoctorSaid["json"] = doctor.json
      assert.isTrue(checks.every(({ advice, state }) => (state === "ok") === (advice === undefined)))
    }
    // A key file that other users can read, and a server that does not exist.
    delete env["FOLIO_KEY"]
    Fs.writeFileSync(pem, randomBytes(32).toString("base64"), { mode: 0o644 })
    const other = yield* Effect.orDie(freshDatabase)
    env["DATABASE_URL"] = other
    assert.deepStrictEqual(wrongIn(yield* folio("doctor")), ["secrets"])
    env["DATABASE_URL"] = "postgres://unknown:secret@127.0.0.1:1/none"
    const away = yield* folio("doctor")
    assert.deepStrictEqual(wrongIn(away), ["database"])
    assert.notInclude(away.out + away.error, "secret@")
    // The directory has been in use before, and its database is gone.
    delete env["DATABASE_URL"]
    const gone = yield* folio("doctor")
    assert.deepStrictEqual([gone.code, wrongIn(gone)], [1, ["database"]])
  })
})
