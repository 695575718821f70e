import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiError } from "../../../schemas/ApiError.ts"
import { makeWebhookSecret } from "../rules/ApiKeyFormat.ts"
import { Notify } from "../Notify.ts"
import { Ids } from "../../database/Ids.ts"
import { endpointView, type StoredWebhookEndpoint, WebhookEndpoints } from "../../webhooks/store/WebhookEndpoints.ts"
import * as Command from "../Command.ts"
import * as WebhookUrl from "./WebhookUrl.ts"

const maxInFlightDefault = 8
const noun = "webhook endpoint"

/** The commands that create, change and delete webhook endpoints, and rotate their signing secrets. */
export const make = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpoints
  const verdictOn = yield* WebhookUrl.make
  const ids = yield* Ids
  const notify = yield* Notify
  const random = yield* SecureRandom.SecureRandom
  const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))
  const newSecret = Effect.map(random.randomBytes(32), makeWebhookSecret)

  const checkUrl = Effect.fnUntraced(function* (url: string) {
    const verdict = yield* verdictOn(url)
    return verdict._tag === "Allowed"
      ? verdict.href
      : yield* ApiError.fromViolations([WebhookUrl.urlViolation(verdict)])
  })

  const CreateWebhookEndpoint = Command.alone("CreateWebhookEndpoint", {
    isSecret: true,
    run: function* (account, { context, request }) {
      const url = yield* checkUrl(request.url)
      const at = yield* now
      const id = yield* ids.webhookEndpoint
      const secret = yield* newSecret
      const endpoint: StoredWebhookEndpoint = {
        ...account,
        id,
        url,
        description: request.description ?? null,
        subscribed_events: request.subscribed_events,
        is_active: true,
        max_in_flight: request.max_in_flight ?? maxInFlightDefault,
        metadata: request.metadata ?? {},
        api_version: context.version,
        failing_since: null,
        last_success_at: null,
        full_since: null,
        created_at: at,
        updated_at: at
      }
      yield* endpoints.insert(endpoint, secret)
      return {
        answer: Command.created(`/v1/webhook-endpoints/${id}`, { ...endpointView(endpoint), secret }),
        audit: [["webhook_endpoint.created", id]]
      }
    }
  })

  const UpdateWebhookEndpoint = Command.alone("UpdateWebhookEndpoint", {
    run: function* (account, { id, patch }) {
      const key = { ...account, id }
      const url = patch.url === undefined ? {} : { url: yield* checkUrl(patch.url) }
      const row = yield* Command.found(yield* endpoints.update(key, { ...patch, ...url }, yield* now), noun, id)
      return {
        answer: Command.ok(endpointView(row)),
        audit: [["webhook_endpoint.updated", id, { changed: Object.keys(patch) }]],
        after: patch.is_active === true ? notify.deliver(key) : Effect.void
      }
    }
  })

  const DeleteWebhookEndpoint = Command.alone("DeleteWebhookEndpoint", {
    run: function* (account, { id }) {
      if (!(yield* endpoints.remove({ ...account, id }))) return yield* ApiError.missing(noun, id)
      return { answer: Command.deleted("webhook_endpoint", id), audit: [["webhook_endpoint.deleted", id]] }
    }
  })

  const RotateWebhookSecret = Command.alone("RotateWebhookSecret", {
    isSecret: true,
    run: function* (account, { id }) {
      const secret = yield* newSecret
      const row = yield* Command.found(yield* endpoints.replaceSecret({ ...account, id }, secret, yield* now), noun, id)
      return {
        answer: Command.created(`/v1/webhook-endpoints/${id}`, { ...endpointView(row), secret }),
        audit: [["webhook_endpoint.secret_rotated", id]]
      }
    }
  })

  return { CreateWebhookEndpoint, UpdateWebhookEndpoint, DeleteWebhookEndpoint, RotateWebhookSecret }
})
