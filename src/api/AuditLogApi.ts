import { AuditEntry, AuditEntryPage, AuditLogQuery } from "../../schemas/AuditEntry.ts"
import { get, group, nextPage, params } from "./Endpoint.ts"

export class AuditLogApi extends group(
  "auditLog",
  "Audit log",
  "Audit log: every change of the account in this mode, with its actor. A chain of hashes shows whether an entry was changed or removed. The operator defines how long Folio keeps the entries, by default for five years.",
  get("listAuditEntries", "/v1/audit-log", {
    query: AuditLogQuery,
    success: AuditEntryPage,
    summary: "List audit log entries",
    description: `Lists the entries of the audit log, newest first. ${nextPage} A change and its entry are stored together.`
  }),
  get("retrieveAuditEntry", "/v1/audit-log/:id", {
    params,
    success: AuditEntry,
    summary: "Retrieve an audit log entry",
    description: "Returns an entry of the audit log."
  })
) {}
