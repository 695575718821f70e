import { Duration, Effect, Layer } from "effect"
import { Acquirers } from "../../../src/accounts/store/Acquirers.ts"
import { Platforms } from "../../../src/accounts/store/Platforms.ts"
import { missingSession, PortalSessions } from "../../../src/accounts/store/PortalSessions.ts"
import { Softwares } from "../../../src/accounts/store/Softwares.ts"
import { Acceptances } from "../../../src/invoices/store/Acceptances.ts"
import { ExternalIds } from "../../../src/database/ExternalIds.ts"
import { Enablements } from "../../../src/invoices/store/Enablements.ts"
import { Incidents } from "../../../src/operations/store/Incidents.ts"
import { Notices } from "../../../src/operations/store/Notices.ts"
import { Overview } from "../../../src/operations/store/Overview.ts"
import { RequestLog } from "../../../src/operations/store/RequestLog.ts"
import { AuditChains } from "../../../src/operations/store/AuditChains.ts"
import { AuditEntries } from "../../../src/operations/store/AuditEntries.ts"
import { Requests } from "../../../src/operations/store/Requests.ts"
import { Redelivery } from "../../../src/webhooks/store/Redelivery.ts"
import { SandboxAuthorities } from "../../../src/accounts/store/sandbox/SandboxAuthorities.ts"
import { Backlog, everyKind } from "../../../src/operations/store/Backlog.ts"
import { Retention } from "../../../src/operations/store/Retention.ts"

/*
 * Services that are tested only on PostgreSQL: pages, the request log, test sets, incidents, notices, buyers' answers,
 * redeliveries, external ids, the sandbox's settings, the authority's data about acquirers. In memory these are empty.
 * A call that is not listed dies, so that no test relies on it by mistake.
 */

const none = () => Effect.succeedNone

export const layer = Layer.mergeAll(
  Layer.mock(Acceptances)({}),
  Layer.mock(Acquirers)({ find: none, keep: () => Effect.void }),
  Layer.mock(AuditChains)({ seal: Effect.succeed(0) }),
  Layer.mock(AuditEntries)({}),
  // There may always be work: the sweeps themselves find none.
  Layer.mock(Backlog)({ look: Effect.succeed(everyKind), turn: Effect.succeed(Duration.zero) }),
  Layer.mock(Enablements)({
    documents: {} as Enablements["Service"]["documents"],
    find: none,
    take: () => Effect.succeed([])
  }),
  Layer.mock(ExternalIds)({ refusal: none }),
  Layer.mock(Incidents)({
    sources: [],
    open: Effect.succeed([]),
    record: () => Effect.void,
    take: () => Effect.succeed([])
  }),
  Layer.mock(Notices)({ search: Effect.void, take: Effect.succeed([]) }),
  Layer.mock(Overview)({}),
  Layer.mock(Platforms)({ asService: (effect) => effect }),
  Layer.mock(PortalSessions)({ find: none, retrieve: none, end: ({ id }) => Effect.fail(missingSession(id)) }),
  Layer.mock(Redelivery)({}),
  Layer.mock(Retention)({}),
  Layer.mock(SandboxAuthorities)({ isMuchToAdvance: () => Effect.succeed(false) }),
  Layer.mock(Softwares)({ current: none, ofVersion: none }),
  RequestLog.layer.pipe(
    Layer.provideMerge(Layer.mock(Requests)({ levels: () => Effect.succeed([]), insert: () => Effect.void }))
  )
)
