import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { applicationResponse } from "../../../src/documents/email/ApplicationResponse.ts"
import { brokenRules } from "../../oracle/AuthorityCheck.ts"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import { Authority } from "../../../src/invoices/authority/Authority.ts"
import * as AuthoritySandbox from "../../../src/invoices/authority/AuthoritySandbox.ts"
import { Mailer } from "../../../src/invoices/mail/Mailer.ts"
import { makeClient } from "../../support/apps/Client.ts"
import { freshDatabase } from "../../support/database/Postgres.ts"
import { receiver } from "../../support/receiver/Receiver.ts"
import * as TestApp from "../../support/apps/TestApp.ts"
import { books, seedBooks } from "../checks/Books.ts"
import { mailServer } from "./MemoryPorts.ts"
import { Surroundings } from "./Surroundings.ts"
import type { Pending, Sent, World } from "./World.ts"

// Shorter waits pass in real time, or are skipped.
const shortMs = 10_000
const glanceMs = 5
const momentMs = 100

/**
 * Two instances of the service on one fresh database, behind real HTTP servers; each believes that it owns all actors.
 * Requests go to them in turn. Long waits pass by changing the times in the rows.
 */
export const make = Effect.gen(function* () {
  const surroundings = new Surroundings()
  const customer = yield* receiver
  const sandbox = yield* Layer.build(
    AuthoritySandbox.layer({
      read: readSignedDocument,
      check: (signed) => brokenRules(signed),
      respond: applicationResponse,
      latency: 0
    })
  )
  const authority = Layer.succeed(Authority, surroundings.around(Context.get(sandbox, Authority)))
  // Email contents are checked in memory: printing takes longer than everything else.
  const mailer = Layer.succeed(Mailer, surroundings.aroundMailer(Mailer.of({ send: mailServer })))
  const database = yield* freshDatabase
  const process = Layer.build(TestApp.layerOn(database, { allow: `127.0.0.1:${customer.port}`, authority, mailer }))
  const one = yield* process
  const other = yield* process
  const pem = yield* TestApp.pem
  yield* Effect.provide(seedBooks(new Date(), pem), one)
  const sql = Context.get(one, SqlClient.SqlClient)
  const urls = [one, other].map((app) => HttpServer.formatAddress(Context.get(app, HttpServer.HttpServer).address))

  customer.answerWith(async ({ body, headers, path }) => {
    const { answered, status } = surroundings.receive({ url: customer.url(path), headers, body })
    answered()
    return status ?? 503
  })

  const run = Effect.runForkWith(yield* Effect.context())
  let sent = 0
  const send = ({ apiKey, body, key, method, path }: Sent): Pending => {
    const url = urls[sent++ % urls.length] ?? ""
    const fiber = run(
      makeClient(url, apiKey).request(method, path, {
        ...(body === null ? {} : { body }),
        ...(key === null ? {} : { key })
      })
    )
    const pending: Pending = { reply: undefined, hangUp: () => fiber.interruptUnsafe() }
    fiber.addObserver((exit) => {
      if (exit._tag === "Failure") pending.reply = null
      else pending.reply = { ...exit.value, headers: Object.fromEntries(exit.value.headers) }
    })
    return pending
  }

  // The lease of a running attempt stays unchanged: it is shorter than the shortest wait for the next attempt.
  const age = (millis: number) =>
    Effect.all(
      [
        sql`update deliveries set next_attempt_at = now()
          where status = 'pending' and next_attempt_at between now() + interval '20 seconds' and now() + interval '1 hour'`,
        sql`update idempotency_keys set completed_at = completed_at - ${millis} * interval '1 millisecond'`
      ],
      { discard: true }
    )

  const open = sql<{ id: string }>`
    select id from invoices where next_action_at is not null
    union all
    select invoice_id || ' (email)' from emails where next_attempt_at is not null
    union all
    select d.endpoint_id from deliveries d join webhook_endpoints w
      on w.account_id = d.account_id and w.livemode = d.livemode and w.id = d.endpoint_id and w.is_active
    where d.status = 'pending'`

  const world: World = {
    books,
    surroundings,
    now: () => Date.now(),
    isTimed: false,
    hasTwins: true,
    hook: (name) => customer.url(`/${name}`),
    send,
    rest: Effect.yieldNow,
    some: Effect.yieldNow,
    pass: (millis) =>
      millis < shortMs ? Effect.sleep(millis < 1_000 ? glanceMs : momentMs) : Effect.orDie(age(millis)),
    wait: () => Effect.sleep(glanceMs),
    disturb: () => Effect.void,
    calm: Effect.sync(() => surroundings.calm()),
    open: Effect.orDie(Effect.map(open, (rows) => ({ left: rows.map(({ id }) => id), millis: shortMs })))
  }
  return world
})
