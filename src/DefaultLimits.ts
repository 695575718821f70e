import { Layer } from "effect"
import { AttemptLimits } from "./actors/AttemptPlaces.ts"
import { CommandTurnLimits } from "./commands/CommandTurns.ts"
import { PrintingLimits } from "./documents/print/Printing.ts"
import { ConcurrencyLimits } from "./http/limits/Concurrency.ts"
import { RateLimits } from "./http/limits/RateLimit.ts"
import { RequestTurnLimits } from "./http/limits/RequestTurns.ts"
import { TrustedProxies } from "./http/limits/TrustedProxies.ts"
import { DrainTime } from "./http/service/Drain.ts"
import { AuthorityLimits } from "./issuing/AuthorityQueue.ts"
import { ContingencyAfter } from "./issuing/CircuitBreaker.ts"
import { NoticeSecret } from "./outbound/mail/NoticeSecret.ts"
import { Busyness } from "./protocol/Busyness.ts"
import { RetentionDays } from "./store/sql/Retention.ts"
import { WebhookAllowance } from "./store/sql/Workers.ts"

// The limits of the service without a look at the environment.
export const defaultLimits = Layer.mergeAll(
  AttemptLimits.layer(),
  AuthorityLimits.layer(),
  Busyness.layer,
  CommandTurnLimits.layer(),
  ConcurrencyLimits.layer(),
  ContingencyAfter.layer(),
  DrainTime.layer(),
  NoticeSecret.layer(),
  PrintingLimits.layer(),
  RateLimits.layer(),
  RequestTurnLimits.layer(),
  RetentionDays.layer(),
  TrustedProxies.layer(),
  WebhookAllowance.layer()
)
