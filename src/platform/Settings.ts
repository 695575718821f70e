import { Layer } from "effect"
import { ServiceInfo } from "../api/ServiceInfo.ts"
import * as AlertsLive from "../outbound/alerts/AlertsLive.ts"
import { AuthoritySettings } from "../outbound/authority/AuthoritySettings.ts"
import { allowance } from "../outbound/webhooks/WebhookAllow.ts"
import { Limits } from "../settings/Limits.ts"
import { OwnRunner } from "./cluster/OwnRunner.ts"
import { DataDir } from "./files/DataDir.ts"
import { FolioKey } from "./files/FolioKey.ts"
import { DatabaseUrl } from "./postgres/DatabaseUrl.ts"
import { Processes } from "./Processes.ts"
import { Redactor } from "./Redactor.ts"
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
        Limits.layerConfig,
        ListenAddress.layerConfig,
        DataDir.layerConfig,
        LogSettings.layerConfig,
        ServiceInstance.layerConfig,
        ServiceInfo.layerConfig(version),
        Layer.effectDiscard(allowance),
        TraceSettings.layerConfig,
        DatabaseUrl.layerConfig,
        AuthoritySettings.layerConfig,
        FolioKey.layerConfig,
        OwnRunner.layerConfig,
        AlertsLive.layerConfig,
        Processes.layerConfig
      )
    )
  )
