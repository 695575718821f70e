/*
 * The limits and settings that the service requires. Each has `layer(values)`, with the values of `npm start` where they are left out, and
 * `layerConfig` where the environment has a setting for it.
 */
export { AttemptLimits } from "./actors/AttemptPlaces.ts"
export { CommandTurnLimits } from "./commands/CommandTurns.ts"
export { PrintingLimits } from "./documents/print/Printing.ts"
export { ConcurrencyLimits } from "./http/limits/Concurrency.ts"
export { RateLimits } from "./http/limits/RateLimit.ts"
export { RequestTurnLimits } from "./http/limits/RequestTurns.ts"
export { DrainTime } from "./http/service/Drain.ts"
export { TrustedProxies } from "./http/limits/TrustedProxies.ts"
export { AuthorityLimits } from "./issuing/AuthorityQueue.ts"
export { ContingencyAfter } from "./issuing/CircuitBreaker.ts"
export { NoticeSecret } from "./outbound/mail/NoticeSecret.ts"
export { Busyness } from "./protocol/Busyness.ts"
export { RetentionDays } from "./store/sql/Retention.ts"
export { WebhookAllowance } from "./store/sql/Workers.ts"
