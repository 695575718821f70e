import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { releaseBefore } from "../../support/database/Releases.ts"
import { it } from "../../support/Tests.ts"

it.live("issuers of the releases before keep their versions, and change beside a release before", function* () {
  const { admin, migrate } = yield* releaseBefore("0010_software.sql")
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`insert into accounts (id, created_at) values ('ten_1', now())`
    yield* sql`
      insert into account_modes (account_id, livemode, name, issuer, issuer_version, default_version)
      values ('ten_1', true, 'Cuenta', '{"legal_name": "1"}', 1, '2026-01-01')`
    yield* migrate
    // As a process of the release before changes an issuer.
    yield* sql`update account_modes set issuer = '{"legal_name": "2"}' where account_id = 'ten_1'`
    yield* sql`
      insert into softwares (account_id, livemode, id, software_id, sealed)
      values ('ten_1', true, 'soft_1', 'id', 'v1.')`
    yield* sql`update account_modes set software = 'soft_1' where account_id = 'ten_1'`
    yield* sql`update account_modes set issuer = '{"legal_name": "3"}' where account_id = 'ten_1'`
    yield* sql`update account_modes set name = 'Otra' where account_id = 'ten_1'`
    assert.deepStrictEqual(yield* sql`select version, issuer, software from issuers order by version`, [
      { version: 1, issuer: { legal_name: "1" }, software: null },
      { version: 2, issuer: { legal_name: "2" }, software: null },
      { version: 3, issuer: { legal_name: "2" }, software: "soft_1" },
      { version: 4, issuer: { legal_name: "3" }, software: "soft_1" }
    ])
  }).pipe(Effect.provide(admin))
})
