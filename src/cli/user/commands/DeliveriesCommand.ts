import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Delivery } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Misuse } from "../Failures.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../Output.ts"
import type { Column } from "../Table.ts"
import { clock, timeOf } from "../Times.ts"

const latestAnswer = ({ attempts }: Delivery) => {
  const latest = attempts.at(-1)
  if (latest === undefined) return ""
  return latest.response_status === null ? (latest.error?.message ?? "no response") : String(latest.response_status)
}

export const deliveryColumns: ReadonlyArray<Column<Delivery>> = [
  ["CREATED", ({ created_at }) => clock(created_at).slice(5)],
  [
    "STATUS",
    ({ status }, { dim, green, red, yellow }) =>
      ({ pending: yellow, succeeded: green, failed: red, canceled: dim })[status](status)
  ],
  ["ATTEMPTS", ({ attempts_count }) => String(attempts_count)],
  ["RESPONSE", latestAnswer],
  ["EVENT", ({ event_id }) => event_id, "whole"],
  ["TYPE", ({ event_type }) => event_type, "whole"],
  ["ENDPOINT", ({ webhook_endpoint_id }) => webhook_endpoint_id, "whole"]
]

const statuses = ["pending", "succeeded", "failed", "canceled"] as const

export const deliveries = Command.make(
  "deliveries",
  {
    failed: Flags.toggle("failed", "Only failed deliveries, as with --status failed"),
    status: Flags.choice("status", statuses, "Only with this status"),
    endpoint: Flags.text("endpoint", "we_…", "Only to this webhook endpoint"),
    event: Flags.text("event", "evt_…", "Only of this event"),
    ...Flags.amount
  },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const output = yield* Output
    const status = flags.failed ? "failed" : flags.status
    if (flags.failed && flags.status !== undefined) {
      return yield* new Misuse({ message: "--failed and --status both set the status: use one of them." })
    }
    const query = { limit: Flags.pageOf(flags), ...Flags.given({ status }) }
    const toEndpoint = (id: string) =>
      api.all("webhookDeliveries", "allWebhookEndpointDeliveries", { params: { id }, query })
    const list = () => {
      if (flags.event !== undefined) {
        return api.all("events", "allEventDeliveries", { params: { id: flags.event } }).pipe(
          Stream.filter(
            (delivery) =>
              (status === undefined || delivery.status === status) &&
              (flags.endpoint === undefined || delivery.webhook_endpoint_id === flags.endpoint)
          ),
          Flags.asked(flags)
        )
      }
      // The API lists deliveries per endpoint, so `--limit` applies to each endpoint.
      return flags.endpoint === undefined
        ? api
            .all("webhookEndpoints", "allWebhookEndpoints", {})
            .pipe(Stream.flatMap(({ id }) => Flags.asked(flags)(toEndpoint(id))))
        : Flags.asked(flags)(toEndpoint(flags.endpoint))
    }
    yield* output.list(list(), deliveryColumns, "No delivery matches.")
  })
).pipe(
  Flags.described(
    "List deliveries to webhook endpoints, newest first",
    "folio deliveries --failed",
    "folio deliveries --event evt_…"
  )
)

export const recover = Command.make(
  "recover",
  {
    endpoint: Flags.argument("endpoint", "Endpoint id, we_…"),
    since: Flags.required("since", "TIME", "Since this time: 10m, 2h or 3d ago, or a date")
  },
  Effect.fnUntraced(function* (flags) {
    const api = yield* Api
    const output = yield* Output
    const since = yield* timeOf(flags.since)
    const recovery = Effect.gen(function* () {
      let count = 0
      for (;;) {
        const request = { params: { id: flags.endpoint }, payload: { since } }
        const answer = yield* api.call("webhookDeliveries", "recoverWebhookEndpoint", request)
        count += answer.deliveries
        // A response without deliveries also ends the loop, so that the command always ends.
        if (!answer.has_more || answer.deliveries === 0) return { ...answer, deliveries: count }
      }
    })
    // Ask before the spinner starts: it would draw over the question.
    yield* api.mayChange(`recover ${flags.endpoint}`)
    const done = yield* output.during("recovering")(recovery)
    yield* output.one(done, ({ bold }) => [
      `${bold(String(done.deliveries))} deliveries to ${done.webhook_endpoint_id} started, for events since ${clock(done.since)}.`
    ])
  })
).pipe(Flags.described("Deliver the events that a webhook endpoint missed", "folio recover we_… --since 2h"))
