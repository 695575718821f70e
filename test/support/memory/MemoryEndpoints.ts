import { Option, Result } from "effect"
import {
  type EndpointKey,
  endpointsPerAccountMax,
  limitReached,
  type StoredWebhookEndpoint,
  WebhookEndpoints
} from "../../../src/webhooks/store/WebhookEndpoints.ts"
import { pageOf } from "./MemoryPages.ts"
import { isOf, inMemory, rowOf } from "./MemoryTables.ts"

export const layerEndpoints = inMemory(WebhookEndpoints, ({ attempt, call }) => {
  const change = (key: EndpointKey, fields: Partial<StoredWebhookEndpoint & { readonly secret: string }>) =>
    call("WebhookEndpoints.update", ({ deliveries, endpoints }, now) => {
      const row = rowOf(endpoints, key)
      if (row === undefined) return Option.none<StoredWebhookEndpoint>()
      const changed = { ...row, ...fields }
      endpoints.set(row.id, changed)
      for (const delivery of fields.is_active === true ? deliveries.values() : []) {
        if (delivery.endpoint_id !== row.id || delivery.next_attempt_at !== Infinity) continue
        if (delivery.status === "pending") deliveries.set(delivery.id, { ...delivery, next_attempt_at: now })
      }
      return Option.some(changed)
    })

  return {
    find: (account, id) =>
      call("WebhookEndpoints.find", ({ endpoints }) =>
        Option.filter(Option.fromUndefinedOr(endpoints.get(id)), (row) => isOf(row, account))
      ),
    list: (account, request) => call("WebhookEndpoints.list", ({ endpoints }) => pageOf(endpoints, account, request)),
    insert: (endpoint, secret) =>
      attempt("WebhookEndpoints.insert", ({ endpoints }) => {
        const others = [...endpoints.values()].filter((row) => isOf(row, endpoint))
        if (others.length >= endpointsPerAccountMax) return Result.fail(limitReached)
        endpoints.set(endpoint.id, { ...endpoint, secret })
        return Result.void
      }),
    update: (key, patch, at) => change(key, { ...patch, updated_at: at }),
    replaceSecret: (key, secret, at) => change(key, { secret, updated_at: at }),
    remove: (key) =>
      call("WebhookEndpoints.remove", ({ deliveries, endpoints }) => {
        if (rowOf(endpoints, key) === undefined) return false
        for (const row of deliveries.values()) {
          if (row.endpoint_id === key.id && row.status === "pending") {
            deliveries.set(row.id, { ...row, status: "canceled" })
          }
        }
        return endpoints.delete(key.id)
      })
  }
})
