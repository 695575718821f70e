import { Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"

/* Facts about the faults of accounts, for the home page of the portal and for notices. `where` selects the accounts. */

export const CertificateRow = Schema.Struct({ id: Schema.String, not_after: Schema.Date })

/** The certificate of each account that ends last. Folio signs with it once the others have ended. */
export const lastCertificates = (sql: SqlClient.SqlClient, where: Statement.Fragment) => sql`
  select distinct on (account_id) account_id, livemode, id, not_after from certificates
  where ${where} order by account_id, not_after desc, id desc`

export const TestSetRow = Schema.Struct({ id: Schema.String, status: Schema.Literals(["passed", "failed"]) })

/** The outcome of each account's test set, if the account has no range for invoices yet. */
export const endedTestSets = (sql: SqlClient.SqlClient, where: Statement.Fragment) => sql`
  select account_id, livemode, id, status from (
    select distinct on (account_id) account_id, livemode, id, status from enablements
    where ${where} order by account_id, status = 'passed' desc, resumed_at desc, id
  ) e
  where status <> 'running' and not exists (
    select from resolutions r where r.account_id = e.account_id and r.livemode = e.livemode and r.document_type = 'invoice'
  )`
