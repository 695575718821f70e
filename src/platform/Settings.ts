import { Layer } from "effect"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import { RateLimits } from "../http/limits/RateLimit.ts"
import { DrainTime } from "../http/service/Drain.ts"
import { TrustedProxies } from "../http/limits/TrustedProxies.ts"
import { ContingencyAfter } from "../issuing/CircuitBreaker.ts"
import * as AlertsLive from "../outbound/alerts/AlertsLive.ts"
import { AuthoritySettings } from "../outbound/authority/AuthoritySettings.ts"
import { NoticeSecret } from "../outbound/mail/NoticeSecret.ts"
import { allowance } from "../outbound/webhooks/WebhookAllow.ts"
import { RetentionDays } from "../store/sql/Retention.ts"
import { WebhookAllowance } from "../store/sql/Workers.ts"
import { OwnRunner } from "./cluster/OwnRunner.ts"
import { DataDir } from "./files/DataDir.ts"
import { FolioKey } from "./files/FolioKey.ts"
import { DatabaseUrl } from "./postgres/DatabaseUrl.ts"
import { Processes } from "./Processes.ts"
import { Redactor } from "./Redactor.ts"
import { ConnectionLimits } from "./server/Connections.ts"
import { ListenAddress } from "./server/ListenAddress.ts"
import { LogSettings, ServiceInstance, TraceSettings } from "./TelemetrySettings.ts"

/**
 * All settings of the service, read from the environment and checked before anything starts; `version` is that of the service.
 * Fails with `SettingsError`. A team whose settings are elsewhere takes `layer`, with values, of each setting in place of this
 * layer.
 */
export const layer = (version: string) =>
  Redactor.layerConfig.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        ListenAddress.layerConfig,
        DataDir.layerConfig,
        LogSettings.layerConfig,
        ServiceInstance.layerConfig,
        RetentionDays.layerConfig,
        ContingencyAfter.layerConfig,
        DrainTime.layerConfig,
        RateLimits.layerConfig,
        ConnectionLimits.layerConfig,
        TrustedProxies.layerConfig,
        ServiceInfo.layerConfig(version),
        WebhookAllowance.layerConfig,
        Layer.effectDiscard(allowance),
        TraceSettings.layerConfig,
        DatabaseUrl.layerConfig,
        AuthoritySettings.layerConfig,
        FolioKey.layerConfig,
        NoticeSecret.layerConfig,
        OwnRunner.layerConfig,
        AlertsLive.layerConfig,
        Processes.layerConfig
      )
    )
  )
