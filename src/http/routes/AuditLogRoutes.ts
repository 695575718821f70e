import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { AuditEntries, auditEntryView } from "../../operations/store/AuditEntries.ts"
import { makeFind, readPage, timeOf } from "../request/Paging.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "auditLog",
  Effect.fn(function* (handlers) {
    const entries = yield* AuditEntries
    const find = makeFind("audit log entry", entries.find)
    return handlers.handleAll({
      listAuditEntries: ({ query }) =>
        readPage(
          "/v1/audit-log",
          query,
          (principal, page) =>
            entries.list(principal, page, {
              action: query.action ?? null,
              actor: query.actor ?? null,
              object_id: query.object_id ?? null,
              from: timeOf(query["created[gte]"]),
              to: timeOf(query["created[lte]"])
            }),
          auditEntryView
        ),
      retrieveAuditEntry: ({ params }) => Effect.map(find(params.id), auditEntryView)
    })
  })
)
