import { guards, type Mutant } from "../Mutant.ts"

const entrance = "test/portal/session/Entrance.pg.test.ts"
const sessions = "test/accounts/store/PortalSessions.pg.test.ts"
const migration = "migrations/0001_schema/2_accounts.sql"

/** Guards of the portal: sign-in links, capabilities of sessions, and content of pages. */
export const portalMutants: ReadonlyArray<Mutant> = [
  ...guards("src/http/request/Authentication.ts", "test/portal/session/Capabilities.pg.test.ts", {
    "a session acts without the capability": {
      "capability !== null && capabilities.some((held) => includes(held, capability))": "capabilities.length > 0"
    },
    "an ended session continues its waiting request": {
      "stillIn(caller, operation), allowed)": "Effect.void, allowed)"
    }
  }),
  ...guards("src/portal/session/Guard.ts", entrance, {
    "the portal takes a form without its token": { "isSame(csrf, token) && ": "" },
    "the portal takes a form that another site sent": { " && isSentFromHere(headers, baseUrl)": "" }
  }),
  ...guards("src/portal/session/Entrance.ts", entrance, {
    "a browser's prefetch uses up a portal link": { "!/pre/iu.test(purpose) && ": "" }
  }),
  ...guards("src/http/request/Envelope.ts", "test/portal/session/Terminal.pg.test.ts", {
    "the terminal shows opened portal links": { '.replace(ofLink, "$1…")': "" }
  }),
  {
    name: "a link of the portal works twice",
    edits: [
      {
        file: "src/accounts/store/PortalSessions.ts",
        find: " and used_at is null and ${isOpen}",
        replace: " and ${isOpen}"
      },
      { file: migration, find: "when (old.used_at is not null and (new", replace: "when (false and (new" }
    ],
    tests: [sessions]
  },
  ...guards("src/accounts/store/PortalSessions.ts", sessions, {
    "a session of the portal outlives its key": { "closes_at > now() and ${keyWorks}`": "closes_at > now()`" },
    "concurrent requests exceed the limit of portal sessions": {
      "      yield* AccountView.lock(sql, session)\n": ""
    }
  }),
  ...guards(migration, sessions, {
    "requests read the hashes of links and cookies of the portal": {
      "grant select (account_id, livemode, id, api_key_id,":
        "grant select (link_hash, cookie_hash, account_id, livemode, id, api_key_id,"
    }
  }),
  ...guards("src/invoices/store/DocumentList.ts", "test/invoices/store/DocumentList.pg.test.ts", {
    "the portal lists documents of other accounts": {
      "where ${ofAccount(sql, account)} and ${fits": "where ${fits",
      "yield* bounded(sql, account, reading)(page(account, request, filter))":
        "yield* Effect.orDie(page(account, request, filter))"
    }
  }),
  ...guards("src/portal/documents/Exports.ts", "test/postgres/portal/Documents.full.test.ts", {
    "a CSV of the portal has no limit of documents": {
      "count < exportMax; count": "count < 10 * exportMax; count",
      "Math.min(pageSize, exportMax - count)": "pageSize"
    }
  }),
  ...guards("src/portal/frame/Visit.ts", "test/portal/documents/DocumentPage.pg.test.ts", {
    "the portal executes a form twice if it is sent twice": { '{ "idempotency-key": key } : {}': "{} : {}" }
  }),
  ...guards("src/http/pages/Html.ts", "test/portal/customers/Customers.pg.test.ts", {
    "a page of the portal renders other parties' text as markup": { "return escape(part)": "return part" }
  }),
  ...guards("src/portal/session/Entrance.ts", entrance, {
    "a link replaces the session of another account": {
      "isFollowed(request) && other === undefined": "isFollowed(request)"
    },
    "a preview uses up a link of the portal": { "return isFollowed(request) && other": "return other" }
  }),
  ...guards("src/accounts/commands/ApiKeyCommands.ts", "test/portal/session/Capabilities.pg.test.ts", {
    "a session's key has every capability": { "capabilities: capabilities ?? null": "capabilities: null" }
  }),
  ...guards("src/accounts/commands/CustomerCommands.ts", "test/portal/session/Capabilities.pg.test.ts", {
    "a session changes customers without an entry in the audit log": {
      'audit: [["customer.updated", id, { changed: Object.keys(patch) }]]': "audit: []"
    }
  }),
  ...guards("src/operations/store/AuditChains.ts", "test/operations/audit/AuditChains.pg.test.ts", {
    "a verification overlooks a missing entry": { "row.position !== next": "false" },
    "two sweepers extend a chain at the same time": { "for update skip locked": "limit all" }
  }),
  ...guards("src/portal/documents/correction/CorrectionPage.ts", "test/portal/documents/Correction.pg.test.ts", {
    "a correction misreads names with escapes": {
      'parseStrict(new TextEncoder().encode(sent.raw("request")))': 'Result.try(() => JSON.parse(sent.raw("request")))'
    }
  })
]
